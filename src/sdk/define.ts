import type { Content, Message, ResourceContents, ToolResult } from './content.ts'
import type { Context } from './context.ts'
import type { InputRequired } from './input-required.ts'
import type { ArgumentsOf, Schema, ValueFor } from './schema.ts'

interface CommonOptions {
  /** Default: the name of the export, or of the file for a default export. */
  name?: string
  title?: string
  description: string
  icons?: { src: string; mimeType?: string; sizes?: string[]; theme?: 'light' | 'dark' }[]
  _meta?: Record<string, unknown>
}

export interface ToolOptions<Input, Output> extends CommonOptions {
  /** Schema of the arguments object. Without a schema, any arguments are accepted. */
  input?: Input
  /** Alias of `input`, as in the protocol. */
  inputSchema?: Input
  /** Schema of the result. The returned value is validated against it and sent as `structuredContent`. */
  output?: Output
  /** Alias of `output`, as in the protocol. */
  outputSchema?: Output
  annotations?: {
    title?: string
    readOnlyHint?: boolean
    destructiveHint?: boolean
    idempotentHint?: boolean
    openWorldHint?: boolean
  }
  /**
   * Returns text, a JSON value, content blocks, a complete result, or nothing. A thrown error becomes a tool error, which the
   * model reads.
   */
  handler(args: ArgumentsOf<Input>, context: Context): Answer<Output> | Promise<Answer<Output>>
}

type Answer<Output> = Output extends Schema ? ValueFor<Output> | ToolResult | InputRequired : unknown

export interface ToolDefinition extends Omit<ToolOptions<Schema | undefined, Schema | undefined>, 'handler'> {
  readonly kind: 'tool'
  // biome-ignore lint/suspicious/noExplicitAny: the type of the arguments is only known from the schema.
  handler(args: any, context: Context): unknown
}

export function defineTool<
  const Input extends Schema | undefined = undefined,
  const Output extends Schema | undefined = undefined,
>(options: ToolOptions<Input, Output>): ToolDefinition {
  return { ...options, kind: 'tool' }
}

/** Completions of a variable: a list, which is filtered by the typed prefix, or a function. */
export type Completion =
  | readonly string[]
  | ((
      typed: string,
      context: { arguments: Readonly<Record<string, string>> } & Pick<Context, 'env' | 'client' | 'signal'>,
    ) => readonly string[] | Promise<readonly string[]>)

export interface ResourceOptions<Uri extends string> extends CommonOptions {
  /** A URI with `{variables}` defines a resource template (RFC 6570). */
  uri: Uri
  /** Default: `text/plain` for strings, `application/octet-stream` for bytes, `application/json` for other values. */
  mimeType?: string
  annotations?: { audience?: ('user' | 'assistant')[]; priority?: number; lastModified?: string }
  /** Size of the content in bytes. */
  size?: number
  /** Completions by variable of the URI. */
  complete?: { [Name in VariablesOf<Uri>]?: Completion }
  /** Returns text, bytes, a JSON value, content blocks, or `{contents}`. */
  handler(
    variables: { [Name in VariablesOf<Uri>]: string },
    context: Context & { readonly uri: string },
  ): ResourceAnswer | Promise<ResourceAnswer>
}

type ResourceAnswer =
  | string
  | Uint8Array
  | { contents: ResourceContents[] }
  | Content
  | Content[]
  | object
  | null

/** Variables of a URI template. `string` when the URI is not a literal type. */
type VariablesOf<Uri extends string> = string extends Uri
  ? string
  : Uri extends `${string}{${infer Expression}}${infer Rest}`
    ? Names<Expression> | VariablesOf<Rest>
    : never
type Names<Expression extends string> = Expression extends `${'+' | '#' | '/' | '.' | '?' | '&'}${infer Rest}`
  ? Names<Rest>
  : Expression extends `${infer First},${infer Rest}`
    ? Names<First> | Names<Rest>
    : Expression extends `${infer Name}*`
      ? Name
      : Expression

export interface ResourceDefinition extends Omit<ResourceOptions<string>, 'handler' | 'complete'> {
  readonly kind: 'resource'
  complete?: Record<string, Completion | undefined>
  // biome-ignore lint/suspicious/noExplicitAny: the variables are only known from the URI.
  handler(variables: any, context: Context & { readonly uri: string }): unknown
}

export function defineResource<const Uri extends string>(options: ResourceOptions<Uri>): ResourceDefinition {
  return { ...options, kind: 'resource' }
}

export interface PromptArgument {
  title?: string
  description?: string
  /** Default: true. */
  required?: boolean
  complete?: Completion
}

export interface PromptOptions<Arguments extends Record<string, PromptArgument>> extends CommonOptions {
  arguments?: Arguments & Record<string, PromptArgument>
  /** Returns text (one user message), content, messages, or `{messages, description}`. */
  handler(
    args: PromptArguments<Arguments>,
    context: Context,
  ): PromptAnswer | InputRequired | Promise<PromptAnswer | InputRequired>
}

type PromptAnswer =
  | string
  | Content
  | Message
  | (string | Content | Message)[]
  | { messages: Message[]; description?: string }
type PromptArguments<Arguments> = {
  -readonly [Name in keyof Arguments]: Arguments[Name] extends { required: false }
    ? string | undefined
    : string
}

export interface PromptDefinition extends Omit<PromptOptions<Record<string, PromptArgument>>, 'handler'> {
  readonly kind: 'prompt'
  // biome-ignore lint/suspicious/noExplicitAny: the arguments are only known by name.
  handler(args: any, context: Context): unknown
}

export function definePrompt<const Arguments extends Record<string, PromptArgument> = Record<never, never>>(
  options: PromptOptions<Arguments>,
): PromptDefinition {
  return { ...options, kind: 'prompt' } as PromptDefinition
}
