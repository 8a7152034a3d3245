/** Folders of a project whose files each define one tool, resource or prompt. */
export const MODULE_FOLDERS = { tool: 'tools', resource: 'resources', prompt: 'prompts' } as const

export type ModuleKind = keyof typeof MODULE_FOLDERS

const SCRIPT = /\.(?:m?ts|m?js)$/
/** Declarations, tests, and what a project keeps to itself beside its definitions. */
const OTHER = /^[._]|\.d\.m?ts$|\.(?:test|spec)\.[^.]+$/

/** Whether a file of one of these folders is a module that defines something. */
export function isModuleFile(name: string): boolean {
  return SCRIPT.test(name) && !OTHER.test(name)
}
