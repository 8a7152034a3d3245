import type { Content, Message, ResourceContents, ToolResult } from './content.ts'
import type { Context } from './context.ts'
import type { InputRequired } from './input-required.ts'
import type { ArgumentsOf, Schema, ValueFor } from './schema.ts'

interface Described {
  /** By default the name of its file. */
  name?: string
  title?: string
  description: string
  icons?: { src: string; mimeType?: string; sizes?: string[]; theme?: 'light' | 'dark' }[]
  _meta?: Record<string, unknown>
}

export interface ToolOptions<Input, Output> extends Described {
  /** Schema of the arguments, an object; any arguments when there is none. */
  input?: Input
  /** The same as `input`, by its name in the protocol. */
  inputSchema?: Input
  /** Schema of the answer; the handler's value is checked against it and sent as `structuredContent`. */
  output?: Output
  /** The same as `output`, by its name in the protocol. */
  outputSchema?: Output
  annotations?: {
    title?: string
    readOnlyHint?: boolean
    destructiveHint?: boolean
    idempotentHint?: boolean
    openWorldHint?: boolean
  }
  /**
   * Answers with a text, a JSON value, content blocks, a whole result, or nothing. What it throws becomes a tool error that
   * the model reads.
   */
  handler(args: ArgumentsOf<Input>, context: Context): Answer<Output> | Promise<Answer<Output>>
}

type Answer<Output> = Output extends Schema ? ValueFor<Output> | ToolResult | InputRequired : unknown

export interface ToolDefinition extends Omit<ToolOptions<Schema | undefined, Schema | undefined>, 'handler'> {
  readonly kind: 'tool'
  // biome-ignore lint/suspicious/noExplicitAny: arguments of a tool that is known by its schema alone.
  handler(args: any, context: Context): unknown
}

export function defineTool<
  const Input extends Schema | undefined = undefined,
  const Output extends Schema | undefined = undefined,
>(options: ToolOptions<Input, Output>): ToolDefinition {
  return { ...options, kind: 'tool' }
}

/** Values that a variable can be completed with: a list, of which those are given that begin as typed, or a function. */
export type Completion =
  | readonly string[]
  | ((
      typed: string,
      context: { arguments: Readonly<Record<string, string>> } & Pick<Context, 'env' | 'client' | 'signal'>,
    ) => readonly string[] | Promise<readonly string[]>)

export interface ResourceOptions<Uri extends string> extends Described {
  /** With `{variables}` it is a resource template (RFC 6570). */
  uri: Uri
  /** By default `text/plain` for texts, `application/json` for other values, `application/octet-stream` for bytes. */
  mimeType?: string
  annotations?: { audience?: ('user' | 'assistant')[]; priority?: number; lastModified?: string }
  size?: number
  /** By the names of the URI's variables. */
  complete?: { [Name in VariablesOf<Uri>]?: Completion }
  /** Answers with a text, bytes, a JSON value, content blocks, or `{contents}`. */
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

/** Names in the template's expressions; any when the URI is no literal. */
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
  // biome-ignore lint/suspicious/noExplicitAny: variables of a template that is known by its text alone.
  handler(variables: any, context: Context & { readonly uri: string }): unknown
}

export function defineResource<const Uri extends string>(options: ResourceOptions<Uri>): ResourceDefinition {
  return { ...options, kind: 'resource' }
}

export interface PromptArgument {
  title?: string
  description?: string
  /** Unless it is false the argument must be given. */
  required?: boolean
  complete?: Completion
}

export interface PromptOptions<Arguments extends Record<string, PromptArgument>> extends Described {
  arguments?: Arguments & Record<string, PromptArgument>
  /** Answers with a text (one message of the user), content, messages, or `{messages, description}`. */
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
  // biome-ignore lint/suspicious/noExplicitAny: arguments of a prompt that is known by their names alone.
  handler(args: any, context: Context): unknown
}

export function definePrompt<const Arguments extends Record<string, PromptArgument> = Record<never, never>>(
  options: PromptOptions<Arguments>,
): PromptDefinition {
  return { ...options, kind: 'prompt' } as PromptDefinition
}
