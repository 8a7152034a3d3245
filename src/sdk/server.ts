/** Public API `mcp-hosting/server`. */
export { type AuthErrorOptions, createAuthError } from './auth-error.ts'
export {
  assistant,
  audio,
  type Content,
  error,
  image,
  link,
  type Message,
  type ResourceContents,
  resource,
  type ToolResult,
  text,
  user,
} from './content.ts'
export type { Context, ElicitResult, LogLevel, SampleRequest, SampleResult } from './context.ts'
export { type ContextOptions, createContext, type TestContext } from './create-context.ts'
export {
  type Completion,
  definePrompt,
  defineResource,
  defineTool,
  type PromptArgument,
  type PromptDefinition,
  type ResourceDefinition,
  type ToolDefinition,
} from './define.ts'
export { type InputRequired, inputRequired, McpError } from './input-required.ts'
export type { JsonSchema, StandardSchema } from './schema.ts'
export { type CreateStoreOptions, createStore } from './store/create-store.ts'
export type {
  ExpiryOptions,
  ListOptions,
  ServerStore,
  Store,
  StoreEntry,
  StoreError,
  StoreTransaction,
} from './store/store.ts'
