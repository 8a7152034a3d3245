/** Messages between the console and the page around an app (MCP Apps 2026-01-26, "Sandbox proxy"). */
export const SANDBOX_PREFIX = 'ui/notifications/sandbox-'
export const PROXY_READY = `${SANDBOX_PREFIX}proxy-ready`
export const RESOURCE_READY = `${SANDBOX_PREFIX}resource-ready`
/** Extension: the app sent a message that is too large. */
export const TOO_LARGE = `${SANDBOX_PREFIX}message-too-large`

/** Maximum size of a message from an app, in characters of JSON. */
export const MAX_MESSAGE_CHARACTERS = 2_000_000
