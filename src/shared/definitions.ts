import * as z from 'zod'
import { ENV_NAME, IMAGE_REFERENCE, SERVER_NAME } from './names.ts'
import { TEMPLATES } from './states.ts'

/**
 * The build request: the contract's fields (service interface 2.3 and 4.1) and our optional extensions
 * (docs/definitions.md). Shapes only; what needs more than a shape (duplicate names, JSON
 * Schema, Liquid) is checked by `validate-definitions.ts`.
 */

const text = z.string().min(1)
const json = z.json()
const meta = z.record(z.string(), json)
const jsonSchema = z.record(z.string(), json)
/** Liquid over `args`' names, `args`, `data`, `env` (declared names) and `context`. */
const liquid = z.string()

const icon = z.strictObject({
  src: text,
  mimeType: z.string().optional(),
  sizes: z.array(z.string()).optional(),
  theme: z.enum(['light', 'dark']).optional(),
})

const annotations = z.strictObject({
  title: z.string().optional(),
  readOnlyHint: z.boolean().optional(),
  destructiveHint: z.boolean().optional(),
  idempotentHint: z.boolean().optional(),
  openWorldHint: z.boolean().optional(),
})

const contentAnnotations = z.strictObject({
  audience: z.array(z.enum(['user', 'assistant'])).optional(),
  priority: z.number().min(0).max(1).optional(),
  lastModified: z.string().optional(),
})

const contentExtras = { annotations: contentAnnotations.optional(), _meta: meta.optional() }

/** An MCP content block; every string in it is a Liquid template. */
export const contentBlockSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('text'), text: liquid, ...contentExtras }),
  z.strictObject({ type: z.literal('image'), data: liquid, mimeType: liquid, ...contentExtras }),
  z.strictObject({ type: z.literal('audio'), data: liquid, mimeType: liquid, ...contentExtras }),
  z.strictObject({
    type: z.literal('resource'),
    resource: z.strictObject({
      uri: liquid,
      mimeType: liquid.optional(),
      text: liquid.optional(),
      blob: liquid.optional(),
      _meta: meta.optional(),
    }),
    ...contentExtras,
  }),
  z.strictObject({
    type: z.literal('resource_link'),
    uri: liquid,
    name: liquid,
    title: liquid.optional(),
    description: liquid.optional(),
    mimeType: liquid.optional(),
    ...contentExtras,
  }),
])

export const LOG_LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const

/** What a declared tool tells its client on the way to the answer, in order (advanced). */
export const emitStepSchema = z.union([
  z.strictObject({
    log: z.strictObject({
      level: z.enum(LOG_LEVELS).default('info'),
      message: liquid,
      logger: z.string().optional(),
    }),
  }),
  z.strictObject({
    progress: z.strictObject({
      progress: z.number(),
      total: z.number().optional(),
      message: liquid.optional(),
    }),
  }),
  z.strictObject({ waitMs: z.int().min(0).max(10_000) }),
])

/** What an answer is made of: exactly one of the three. */
const answer = {
  text: liquid.optional(),
  json: json.optional(),
  content: z.array(contentBlockSchema).optional(),
}

export const templateHandlerSchema = z.strictObject({
  type: z.literal('template'),
  ...answer,
  /** A Liquid condition's text: the answer is a tool error when it renders to `true`. A literal `true` always fails. */
  isError: z.union([z.boolean(), liquid]).optional(),
  emit: z.array(emitStepSchema).optional(),
})

export const HTTP_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

export const httpHandlerSchema = z.strictObject({
  type: z.literal('http'),
  method: z.enum(HTTP_METHODS).default('GET'),
  url: text,
  headers: z.record(z.string(), liquid).optional(),
  /** A value that renders to nothing leaves its parameter out. */
  query: z.record(z.string(), liquid).optional(),
  /** A string is sent as it renders; anything else as JSON whose strings are templates. */
  body: json.optional(),
  /** Templates over `response` `{status, headers, body}` as well; without one the body is the answer. */
  result: z.strictObject(answer).optional(),
  timeoutMs: z.int().min(1).max(300_000).default(30_000),
  maxResponseBytes: z.int().min(1).max(50_000_000).default(5_000_000),
  /** Tries after the first one; only for idempotent methods (RFC 9110 9.2.2), on connection faults, 429, 502, 503, 504. */
  retries: z.int().min(0).max(5).default(2),
  emit: z.array(emitStepSchema).optional(),
})

export const moduleHandlerSchema = z.strictObject({
  type: z.literal('module'),
  path: text,
  export: text.default('default'),
})

export const handlerSchema = z.discriminatedUnion('type', [
  templateHandlerSchema,
  httpHandlerSchema,
  moduleHandlerSchema,
])

/** Completion values per variable: a list, or Liquid over `data` and `context.arguments` that renders one value a line. */
const completions = z.record(z.string(), z.union([z.array(z.string()), liquid]))

export const toolSchema = z.strictObject({
  name: text,
  description: text,
  inputSchema: jsonSchema,
  title: z.string().optional(),
  outputSchema: jsonSchema.optional(),
  annotations: annotations.optional(),
  icons: z.array(icon).optional(),
  _meta: meta.optional(),
  handler: handlerSchema.optional(),
})

export const resourceSchema = z.strictObject({
  /** With `{variables}` it is a resource template (RFC 6570). */
  uri: text,
  name: text,
  description: text,
  mimeType: z.string().default('application/json'),
  title: z.string().optional(),
  icons: z.array(icon).optional(),
  annotations: contentAnnotations.optional(),
  size: z.int().min(0).optional(),
  _meta: meta.optional(),
  /** Liquid over the URI's variables and `data`; at most one of text, blob, file, handler. */
  text: liquid.optional(),
  /** Base 64, not a template. */
  blob: z.string().optional(),
  /** A path in the project; `mcp` reads it and sends its content. */
  file: z.string().optional(),
  handler: handlerSchema.optional(),
  completions: completions.optional(),
})

export const promptArgumentSchema = z.strictObject({
  name: text,
  title: z.string().optional(),
  description: z.string().optional(),
  required: z.boolean().optional(),
})

export const promptSchema = z.strictObject({
  name: text,
  description: text,
  /** Becomes one user message. May be left out only where `messages` or `handler` stands in for it. */
  template: z.string().optional(),
  title: z.string().optional(),
  icons: z.array(icon).optional(),
  _meta: meta.optional(),
  arguments: z.array(promptArgumentSchema).optional(),
  messages: z
    .array(z.strictObject({ role: z.enum(['user', 'assistant']), content: contentBlockSchema }))
    .optional(),
  completions: completions.optional(),
  /** Code that makes the messages (custom). */
  handler: moduleHandlerSchema.optional(),
})

const envName = z.string().regex(ENV_NAME, 'letters, digits and "_", not starting with a digit')

/** An environment variable the server may read as `env.NAME`; its value comes with the deployment. */
export const envDeclarationSchema = z.union([
  envName,
  z.strictObject({
    name: envName,
    description: z.string().optional(),
    required: z.boolean().default(false),
    default: z.string().optional(),
  }),
])

/** How many children serve, and what they may touch. A word alone says `children`. */
const isolationSchema = z.union([
  z.enum(['session', 'shared']),
  z.strictObject({
    /** One child a session, or one for all of them; by default what the program's answers allow. */
    children: z.enum(['session', 'shared']).optional(),
    /** Children of sessions at one time in one instance, 100 by default; a session more is refused. */
    maxChildren: z.int().min(1).max(1000).optional(),
    /** A session's child that nobody used for so long ends, after 10 minutes by default; the next request starts one. */
    idleMs: z.int().min(100).max(86_400_000).optional(),
    /** bubblewrap: where it is installed, always (a machine without it refuses), or never. */
    sandbox: z.enum(['auto', 'required', 'off']).default('auto'),
    /** Folders that it may write there, besides its own and those that its command or variables name. */
    writable: z.array(z.string().startsWith('/')).max(100).optional(),
    /**
     * Where the daemon runs as root. `auto`: a user without privileges, its own one or the owner of the folders that it may
     * write, and root when only root can read or write what its command names. `own` refuses in that case.
     */
    user: z.enum(['auto', 'own', 'root']).optional(),
    /** Allow Unix sockets in the sandbox, the machine's among them, which Chromium and some others need. */
    unixSockets: z.boolean().optional(),
  }),
])

/**
 * A server that exists already (custom): any command that speaks MCP over standard input and output, or any program that
 * serves MCP over HTTP on `$PORT`.
 */
export const programSchema = z.strictObject({
  type: z.enum(['stdio', 'http']),
  /** An executable, found through PATH, or relative to `cwd` when it holds a slash. */
  command: text,
  args: z.array(z.string()).default([]),
  /** Relative to the source's root where there is a source; else absolute. */
  cwd: z.string().optional(),
  /** Where an HTTP program serves MCP. */
  path: z.string().startsWith('/').default('/mcp'),
  /** A program over stdio that neither answers a request nor reports progress for so long: the request fails; 10 minutes by default. */
  timeoutMs: z.int().min(1).max(86_400_000).optional(),
  isolation: isolationSchema.optional(),
})

/** A server that is an image, and serves MCP over HTTP on `$PORT`. */
export const imageProgramSchema = z.strictObject({
  type: z.literal('image'),
  image: z.string().regex(IMAGE_REFERENCE, 'the name of an image, such as ghcr.io/team/weather:1.2'),
  /** Where it serves MCP. */
  path: z.string().startsWith('/').default('/mcp'),
})

export const buildRequestSchema = z.strictObject({
  name: z.string().regex(SERVER_NAME, '1 to 63 letters, digits, "-", "_" or "."'),
  template: z.enum(TEMPLATES),
  tools: z.array(toolSchema).optional(),
  resources: z.array(resourceSchema).optional(),
  prompts: z.array(promptSchema).optional(),
  // Extensions
  title: z.string().optional(),
  version: z.string().min(1).max(64).optional(),
  /** What `initialize`/`server/discover` tell a model about the server. */
  instructions: z.string().optional(),
  /** Any JSON, readable as `data` in every template. */
  data: json.optional(),
  env: z.array(envDeclarationSchema).optional(),
  /** Entries a page of every list; all on one page when absent. */
  page_size: z.int().min(1).max(1000).optional(),
  project_id: z.string().optional(),
  /** Id of an uploaded source archive (custom). */
  source: z.string().optional(),
  program: z.discriminatedUnion('type', [programSchema, imageProgramSchema]).optional(),
  /** Values for what runs while it is built, and for its preview; kept in memory alone, so a restart forgets them. */
  env_vars: z.record(envName, z.string()).optional(),
})

export type Json = z.infer<ReturnType<typeof z.json>>
export type LogLevel = (typeof LOG_LEVELS)[number]
export type ContentBlock = z.infer<typeof contentBlockSchema>
export type EmitStep = z.infer<typeof emitStepSchema>
export type TemplateHandler = z.infer<typeof templateHandlerSchema>
export type HttpHandler = z.infer<typeof httpHandlerSchema>
export type ModuleHandler = z.infer<typeof moduleHandlerSchema>
export type Handler = z.infer<typeof handlerSchema>
export type ToolDefinition = z.infer<typeof toolSchema>
export type ResourceDefinition = z.infer<typeof resourceSchema>
export type PromptArgument = z.infer<typeof promptArgumentSchema>
export type PromptDefinition = z.infer<typeof promptSchema>
export type EnvDeclaration = z.infer<typeof envDeclarationSchema>
export type ProgramDefinition = z.infer<typeof programSchema>
export type ImageDefinition = z.infer<typeof imageProgramSchema>
export type BuildRequest = z.infer<typeof buildRequestSchema>
