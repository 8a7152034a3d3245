/**
 * The host's side of MCP Apps, a part that is loaded with the first app. It shares no code with the page, which would be split into
 * more files otherwise.
 */
import './interpreted-schemas.ts'

export { AppBridge } from '@modelcontextprotocol/ext-apps/app-bridge'
