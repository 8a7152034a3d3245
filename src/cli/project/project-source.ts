/** Content of a project file before validation. */
export interface ProjectSource {
  /** Absolute path. */
  file: string
  /** Absolute path of the project if it is not the file's folder. */
  directory?: string
  value: unknown
  /** `line:column` of a path such as `tools[2].inputSchema` or its nearest parent. Undefined without a file. */
  locate(path: string): string | undefined
}
