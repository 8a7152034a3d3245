import type { EarlierVersion } from '../../shared/instance-protocol.ts'

/** By deployment: the instances that still serve their sessions. */
export type EarlierVersions = ReadonlyMap<string, EarlierVersion['instances']>
