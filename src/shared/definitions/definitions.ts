import * as z from 'zod'
import { checkVariableSize, checkVariableSizes, envValueSchema } from '../contract/env-value.ts'
import { environmentSchema, templateSchema } from '../contract/fields.ts'
import { jsonSchema, jsonValue } from '../json/json-value.ts'
import { described, named } from '../json/schema-metadata.ts'
import { ENV_NAME, SERVER_NAME } from '../names.ts'
import { contentAnnotations, contentBlockSchema, iconSchema, liquid, metaField } from './content-blocks.ts'
import { handlerSchema, moduleHandlerSchema } from './handlers.ts'
import { imageProgramSchema, programSchema } from './program-definitions.ts'

/**
 * Build request: the contract's fields (service interface 2.3 and 4.1) and optional extensions (docs/definitions.md).
 * `validation/validate-definitions.ts` validates more than shapes: duplicate names, JSON Schemas and Liquid.
 */

const text = z.string().min(1)
const title = z.string().optional().describe('Display name.')
const icons = z.array(iconSchema).optional().describe('Icons that clients may show.')

const toolAnnotations = named('ToolAnnotations', 'MCP hints about what a tool does.').strictObject({
  title: z.string().optional().describe('Display name.'),
  readOnlyHint: z.boolean().optional().describe('The tool changes nothing.'),
  destructiveHint: z.boolean().optional().describe('The tool may delete or overwrite data.'),
  idempotentHint: z
    .boolean()
    .optional()
    .describe('Calling the tool again with the same arguments has no further effect.'),
  openWorldHint: z.boolean().optional().describe('The tool reaches systems outside the server.'),
})

const completions = z
  .record(z.string(), z.union([z.array(z.string()), liquid]))
  .optional()
  .describe(
    'Values that clients may suggest, by variable: a list, or a Liquid template over `data` and `context.arguments` that renders one value per line.',
  )

const toolSchema = named('Tool', 'A tool that models can call.').strictObject({
  name: text.meta(described('Name by which clients call it. Unique in the server.', 'greet')),
  description: text.describe('Description of the tool. Models choose tools by it.'),
  inputSchema: jsonSchema.describe(
    'JSON Schema of the arguments, of type object. Before the handler runs, arguments are validated and defaults filled in.',
  ),
  title,
  outputSchema: jsonSchema
    .optional()
    .describe('JSON Schema of the answer. Answers are validated against it.'),
  annotations: toolAnnotations.optional(),
  icons,
  _meta: metaField.optional(),
  handler: handlerSchema
    .optional()
    .describe('How the tool answers. Without a handler, it returns a sample made from `outputSchema`.'),
})

const resourceSchema = named(
  'Resource',
  'A resource that clients can read. At most one of `text`, `blob`, `file`, `handler`.',
).strictObject({
  uri: text.meta(
    described(
      'URI of the form `<scheme>://<path>`. With `{variables}`, it is a resource template (RFC 6570).',
      'docs://readme',
      'users://{id}/profile',
    ),
  ),
  name: text.describe('Human-readable name.'),
  description: text.describe('Description of the data that the resource provides.'),
  mimeType: z.string().default('application/json').describe('Media type of the content.'),
  title,
  icons,
  annotations: contentAnnotations.optional(),
  size: z.int().min(0).optional().describe('Size of the content in bytes.'),
  _meta: metaField.optional(),
  text: liquid.optional().describe('Content. A Liquid template over the variables of the URI and `data`.'),
  blob: z.string().optional().describe('Base64 content.'),
  file: z
    .string()
    .optional()
    .describe('File in the project. `mcp` reads it and sends its content. It is not a template.'),
  handler: handlerSchema.optional(),
  completions,
})

const promptArgumentSchema = named('PromptArgument', 'An argument of a prompt.').strictObject({
  name: text.describe('Name of the argument.'),
  title,
  description: z.string().optional().describe('Meaning of the argument.'),
  required: z.boolean().optional().describe('Clients must provide a value.'),
})

const promptSchema = named('Prompt', 'A prompt that people can start a conversation with.').strictObject({
  name: text.describe('Name of the prompt. Unique in the server.'),
  description: text.describe('Purpose of the prompt.'),
  template: z
    .string()
    .optional()
    .meta(
      described(
        'Liquid template of one user message. Each `{{ variable }}` is an argument, required unless it has a `default` filter. Required without `messages` and `handler`.',
        'Review this {{ language | default: "TypeScript" }} code: {{ code }}',
      ),
    ),
  title,
  icons,
  _meta: metaField.optional(),
  arguments: z
    .array(promptArgumentSchema)
    .optional()
    .describe('Describes arguments. Variables of the template need no declaration.'),
  messages: z
    .array(
      named('PromptMessage', 'A message of a prompt.').strictObject({
        role: z.enum(['user', 'assistant']).describe('Author of the message.'),
        content: contentBlockSchema,
      }),
    )
    .optional()
    .describe('Several messages instead of one template.'),
  completions,
  handler: moduleHandlerSchema.optional().describe('Code that creates the messages (template `custom`).'),
})

const envName = z.string().regex(ENV_NAME, 'expected letters, digits and "_", not starting with a digit')

const envDeclarationSchema = z
  .union([
    envName,
    z
      .strictObject({
        name: envName.describe('Name of the variable: letters, digits and "_", not starting with a digit.'),
        description: z.string().optional().describe('Purpose of the variable.'),
        required: z.boolean().default(false).describe('Reject deployments that set no value.'),
        default: envValueSchema.optional().describe('Value if the deployment sets none.'),
        secret: z
          .boolean()
          .optional()
          .describe('Never show the value. Names such as `API_KEY` are secret anyway.'),
      })
      .superRefine(({ name, default: value }, issues) =>
        checkVariableSize({ name, value, path: 'default' }, issues),
      ),
  ])
  .meta({
    id: 'EnvDeclaration',
    description: 'An environment variable that the server may read as `env.NAME`. A string is its name.',
  })

const namedBuildRequest = named('BuildRequest', 'Definition of an MCP server.', {
  name: 'greeter',
  template: 'basic',
  tools: [
    {
      name: 'greet',
      description: 'Greets a person.',
      inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      handler: { type: 'template', text: 'Hello, {{ name }}!' },
    },
  ],
})

export const buildRequestSchema = namedBuildRequest.strictObject({
  name: z
    .string()
    .regex(SERVER_NAME, 'expected 1 to 63 letters, digits, "-", "_" or "."')
    .meta(
      described(
        'Name of the server: 1 to 63 letters, digits, "-", "_" or ".". Every build of a name is a version of the same server.',
        'greeter',
      ),
    ),
  template: templateSchema,
  tools: z.array(toolSchema).optional().describe('Tools that models can call.'),
  resources: z.array(resourceSchema).optional().describe('Resources that clients can read.'),
  prompts: z.array(promptSchema).optional().describe('Prompts that people can start a conversation with.'),
  // Extensions
  title,
  version: z.string().min(1).max(64).optional().describe('Version of the server that clients see.'),
  instructions: z.string().optional().describe('Instructions for models on how to use the server.'),
  data: jsonValue.optional().describe('Any JSON. Every template reads it as `data`.'),
  env: z
    .array(envDeclarationSchema)
    .optional()
    .describe('Environment variables that templates may read as `env.NAME`. Deployments set the values.'),
  page_size: z
    .int()
    .min(1)
    .max(1000)
    .optional()
    .describe('Entries per page of every list. By default, all entries are on one page.'),
  project_id: z.string().optional().describe('Id of the project that the build belongs to.'),
  source: z.string().optional().describe('Id of an uploaded source archive (template `custom`).'),
  program: z
    .discriminatedUnion('type', [programSchema, imageProgramSchema])
    .optional()
    .describe('An existing server instead of definitions (template `custom`).'),
  env_vars: z
    .record(envName, envValueSchema)
    .superRefine(checkVariableSizes)
    .optional()
    .describe(
      'Values that replace stored ones in code that runs during the build, and in the preview. Kept only in memory.',
    ),
  preview: z
    .strictObject({
      copy_state_from: environmentSchema
        .optional()
        .describe(
          'Environment whose data is copied to the preview if the preview has none. Data of users is not copied.',
        ),
    })
    .optional()
    .describe('Settings of the preview.'),
  environment: environmentSchema
    .optional()
    .describe(
      'Environment whose stored variables are available to code during the build. By default development, which the preview always uses.',
    ),
})

export type { Json } from '../json/json-value.ts'
export type { ContentBlock } from './content-blocks.ts'
export type { EmitStep, Handler, HttpHandler, LogLevel, ModuleHandler, TemplateHandler } from './handlers.ts'
export type { ImageDefinition, Mount, ProgramDefinition } from './program-definitions.ts'
export type ToolDefinition = z.infer<typeof toolSchema>
export type ResourceDefinition = z.infer<typeof resourceSchema>
export type PromptArgument = z.infer<typeof promptArgumentSchema>
export type PromptDefinition = z.infer<typeof promptSchema>
export type EnvDeclaration = z.infer<typeof envDeclarationSchema>
export type BuildRequest = z.infer<typeof buildRequestSchema>
