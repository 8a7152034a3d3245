import * as z from 'zod'
import { logPageSchema } from './deployments.ts'
import { CONTAINER_BUILD_STATES } from './states.ts'

/** Container builds (service interface 2.6, 4.5, 4.6): every field is always there, `""` while it has no value. */
const time = z.union([z.iso.datetime(), z.literal('')])

export const BUILD_PHASES = [
  'QUEUED',
  'DOWNLOAD_SOURCE',
  'INSTALL',
  'BUILD',
  'IMAGE',
  'PUSH',
  'COMPLETED',
] as const

export const containerBuildSchema = z.object({
  id: z.string(),
  projectId: z.string(),
  cloudBuildId: z.string(),
  status: z.enum(CONTAINER_BUILD_STATES),
  storageSourceLocation: z.string(),
  imageRepository: z.string(),
  /** With its tag: `<repository>:<tag>`, or `oci:<layout>:<name>:<tag>` where no registry is configured. */
  imageUri: z.string(),
  logGroupName: z.string(),
  logStreamName: z.string(),
  currentPhase: z.enum(BUILD_PHASES),
  errorMessage: z.string(),
  startTime: time,
  endTime: time,
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  /** Extensions: digest of the image's manifest, and the build of the server that is in it. */
  imageDigest: z.string(),
  mcpId: z.string(),
})

export const containerBuildPageSchema = z.object({
  items: z.array(containerBuildSchema),
  nextToken: z.string().nullable(),
})

export const containerBuildLogSchema = logPageSchema

export type BuildPhase = (typeof BUILD_PHASES)[number]
export type ContainerBuildRecord = z.infer<typeof containerBuildSchema>
