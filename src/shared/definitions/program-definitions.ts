import * as z from 'zod'
import { described, named } from '../json/schema-metadata.ts'
import { IMAGE_REFERENCE } from '../names.ts'

/** Existing servers instead of definitions (docs/hosting-existing-servers.md). */

const text = z.string().min(1)

const children = z.enum(['session', 'shared'])

const isolationSchema = z
  .union([
    children,
    z.strictObject({
      children: children
        .optional()
        .describe(
          'One process per session, or one for all sessions. The default depends on the answers of the program.',
        ),
      maxChildren: z.int().min(1).max(1000).optional().meta({
        description: 'Maximum number of session processes of an instance. Further sessions are rejected.',
        default: 100,
      }),
      idleMs: z.int().min(100).max(86_400_000).optional().meta({
        description:
          'Time in milliseconds after which an unused session process stops. The next request starts a new one.',
        default: 600_000,
      }),
      sandbox: z
        .enum(['auto', 'required', 'off'])
        .default('auto')
        .describe('Use bubblewrap if it is installed, always (fails without it), or never.'),
      writable: z
        .array(z.string().startsWith('/'))
        .max(100)
        .optional()
        .describe(
          'Absolute paths of folders that the program may write to, in addition to its own and those named by its command or variables.',
        ),
      user: z.enum(['auto', 'own', 'root']).optional().meta({
        description:
          'User of the processes if the daemon runs as root. `auto`: an unprivileged user, or root if that user cannot read or write what the command names. `own` fails in that case.',
        default: 'auto',
      }),
      unixSockets: z.boolean().optional().meta({
        description:
          'Allow Unix sockets in the sandbox, including those of the machine. Chromium and some other programs need them.',
        default: false,
      }),
    }),
  ])
  .meta({
    id: 'Isolation',
    description: 'Processes of a program and what they may access. A string is `children`.',
  })

export const programSchema = named(
  'Program',
  'An existing MCP server, started by a command (template `custom`).',
).strictObject({
  type: z
    .enum(['stdio', 'http'])
    .describe('`stdio`: MCP over standard input and output. `http`: MCP over HTTP on `$PORT`.'),
  command: text.meta(
    described('Executable, found in PATH, or relative to `cwd` if it contains a slash.', 'npx'),
  ),
  args: z.array(z.string()).default([]).describe('Arguments of the command.'),
  cwd: z
    .string()
    .optional()
    .describe('Working folder: relative to the source archive, absolute without one.'),
  path: z.string().startsWith('/').default('/mcp').describe('Path at which an `http` program serves MCP.'),
  timeoutMs: z.int().min(1).max(86_400_000).optional().meta({
    description:
      'Milliseconds without an answer or a progress notification after which a request to a `stdio` program fails.',
    default: 600_000,
  }),
  isolation: isolationSchema.optional(),
})

const mountSchema = named('Mount', 'A file, folder or volume in a container.').strictObject({
  source: text.describe(
    'Absolute path of a file or folder on this machine, or the name of a volume of the container engine.',
  ),
  target: z.string().startsWith('/').describe('Absolute path in the container.'),
  readonly: z.boolean().optional().describe('The container cannot write to it.'),
})

export const imageProgramSchema = named(
  'ImageProgram',
  'A container image that serves MCP over stdio or HTTP (template `custom`).',
).strictObject({
  type: z.literal('image').describe('Kind of program.'),
  image: z
    .string()
    .regex(IMAGE_REFERENCE, 'expected the name of an image, such as ghcr.io/team/weather:1.2')
    .meta(described('Name of the image.', 'ghcr.io/team/weather:1.2')),
  transport: z
    .enum(['stdio', 'http'])
    .optional()
    .describe(
      '`stdio`: MCP over standard input and output. `http`: MCP over HTTP on `$PORT`. By default, the build tries both.',
    ),
  path: z
    .string()
    .startsWith('/')
    .default('/mcp')
    .describe('Path at which the container serves MCP over HTTP.'),
  args: z.array(z.string()).optional().describe('Arguments after the name of the image.'),
  entrypoint: text.optional().describe("Program to run instead of the image's."),
  mounts: z.array(mountSchema).max(100).optional().describe('Files, folders and volumes in the container.'),
  network: z
    .string()
    .regex(
      /^[A-Za-z0-9][\w.-]*$/,
      'expected the name of a network of the container engine, such as none or bridge',
    )
    .optional()
    .describe(
      'Network of the container engine, for example `none`. By default, the default network of the engine.',
    ),
  user: z
    .string()
    .regex(/^[\w.-]+(:[\w.-]+)?$/, 'expected a user or user:group')
    .optional()
    .describe("User of the processes, for example `1000:1000`, instead of the image's."),
  workdir: z.string().startsWith('/').optional().describe("Working folder instead of the image's."),
  isolation: children
    .optional()
    .describe(
      'One container per session, or one for all, over stdio. The default depends on the answers of the program.',
    ),
  timeoutMs: z.int().min(1).max(86_400_000).optional().meta({
    description:
      'Milliseconds without an answer or a progress notification after which a request over stdio fails.',
    default: 600_000,
  }),
})

export type ProgramDefinition = z.infer<typeof programSchema>
export type ImageDefinition = z.infer<typeof imageProgramSchema>
export type Mount = z.infer<typeof mountSchema>
