/** How an instance runs its server in a container. */
export interface TenantContainer {
  engine: 'podman' | 'docker'
  /** Executable of the engine, with the complete environment of its client. */
  file: string
  env: Record<string, string>
  /** Name or id of a local image. */
  image: string
  /**
   * The daemon built the image from the artifact. The container writes our log lines, and other instances can continue its
   * sessions.
   */
  isOwn: boolean
  /** UID of the processes in the container. Absent if unknown. */
  uid?: number
  labels: Record<string, string>
  limits: ContainerLimits
}

/** Absent: no limit. */
export interface ContainerLimits {
  memoryMb?: number
  /** Processors, for example 0.5. */
  cpus?: number
  /** Processes and threads. */
  pids?: number
}
