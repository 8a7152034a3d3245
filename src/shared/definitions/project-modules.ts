/** Folders of a project whose files each define one tool, resource or prompt. */
export const MODULE_FOLDERS = { tool: 'tools', resource: 'resources', prompt: 'prompts' } as const

export type ModuleKind = keyof typeof MODULE_FOLDERS

const SCRIPT = /\.(?:m?ts|m?js)$/
/** Type declarations, tests, and files with a leading `.` or `_`. */
const NOT_A_MODULE = /^[._]|\.d\.m?ts$|\.(?:test|spec)\.[^.]+$/

/** True if a file with this name in a module folder defines a tool, resource or prompt. */
export function isModuleFile(name: string): boolean {
  return SCRIPT.test(name) && !NOT_A_MODULE.test(name)
}
