import * as z from 'zod'
import { named } from '../../json/schema-metadata.ts'
import { containerBuildStateSchema, EXAMPLE_MCP_ID, EXAMPLE_TIME, isoTime, itemPage } from '../fields.ts'
import { logPageSchema } from '../monitoring/log-pages.ts'
import { BUILD_PHASES } from '../states.ts'

/** Container builds (service interface 2.6, 4.5, 4.6). All fields are always present, as `""` when they have no value. */
const time = z.union([isoTime, z.literal('')])

const namedContainerBuild = named(
  'ContainerBuild',
  'A container build of a project. Fields without a value are empty strings.',
  {
    id: 'bld_4h7k2m9q5w1x8z3c6v0b',
    projectId: 'prj_4h7k2m9q5w1x8z3c6v0b',
    cloudBuildId: 'local:bld_4h7k2m9q5w1x8z3c6v0b',
    status: 'pending',
    storageSourceLocation: 's3://sources/weather.tar.gz',
    imageRepository: '',
    imageUri: '',
    logGroupName: 'container-builds',
    logStreamName: 'bld_4h7k2m9q5w1x8z3c6v0b',
    currentPhase: 'QUEUED',
    errorMessage: '',
    startTime: '',
    endTime: '',
    createdAt: EXAMPLE_TIME,
    updatedAt: EXAMPLE_TIME,
    imageDigest: '',
    mcpId: EXAMPLE_MCP_ID,
  },
)

export const containerBuildSchema = namedContainerBuild.object({
  id: z.string().describe('Id of the build.'),
  projectId: z.string().describe('Id of the project.'),
  cloudBuildId: z.string().describe('Id of the build in the build system.'),
  status: containerBuildStateSchema,
  storageSourceLocation: z.string().describe('URI of the source archive.'),
  imageRepository: z.string().describe('Repository of the image.'),
  imageUri: z
    .string()
    .describe(
      'Image with its tag: `<repository>:<tag>`, or `oci:<layout>:<name>:<tag>` without a configured registry.',
    ),
  logGroupName: z.string().describe('Name of the log group.'),
  logStreamName: z.string().describe('Name of the log stream.'),
  currentPhase: z
    .enum(BUILD_PHASES)
    .meta({ id: 'ContainerBuildPhase', description: 'Phase of a container build.' }),
  errorMessage: z.string().describe('Why the build failed.'),
  startTime: time.describe('Start time.'),
  endTime: time.describe('End time.'),
  createdAt: isoTime.describe('Creation time.'),
  updatedAt: isoTime.describe('Time of the last change.'),
  imageDigest: z.string().describe('Extension: digest of the image manifest.'),
  mcpId: z.string().describe("Extension: id of the server's build in the image."),
})

export const containerBuildPageSchema = itemPage(containerBuildSchema, 'ContainerBuildPage')

export const containerBuildLogSchema = logPageSchema

export type ContainerBuildRecord = z.infer<typeof containerBuildSchema>
