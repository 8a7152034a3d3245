/**
 * The host's side of MCP Apps, a part that is loaded with the first app. It shares no code with the page, which would otherwise
 * be split into more files.
 */
import './interpreted-schemas.ts'

export { AppBridge } from '@modelcontextprotocol/ext-apps/app-bridge'
