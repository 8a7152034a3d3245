import { statSync } from 'node:fs'
import { posix, resolve } from 'node:path'
import { counted } from '../../shared/counted.ts'
import { MODULE_FOLDERS } from '../../shared/definitions/project-modules.ts'
import { countsOf, countsToText } from '../output/counts.ts'
import { loadProjectSuite } from '../suite/load-suite.ts'
import { listModules } from './code-project.ts'
import { missingFile } from './program-project.ts'
import { invalidProject, type Problem, type Project } from './project.ts'

/** Result of checking a project without running its code. */
export interface ProjectSummary {
  tools: number
  resources: number
  prompts: number
  /** Handler modules, such as `tools/add.ts`. Omitted for a program and for a server without code. */
  modules?: string[]
}

/**
 * Checks the suite of a project and the files that the project names. Loading the project checks neither. Throws INVALID_MCP
 * with every missing file, and the errors of `loadProjectSuite`.
 */
export async function checkProject(project: Project): Promise<ProjectSummary> {
  const { request, directory, sourceDirectory } = project
  const problems = [...missingModules(project), ...missingProgram(project), ...missingSuite(project)]
  if (problems.length > 0) throw invalidProject({ locate: () => undefined, ...project }, problems)
  await loadProjectSuite(project)
  const hasModules = sourceDirectory !== undefined && !request.program
  return { ...countsOf(request), ...(hasModules && { modules: listModules(directory) }) }
}

/** `1 tool, 3 files in tools/, which only mcp build checks` */
export function summaryText({ request }: Project, { modules = [] }: ProjectSummary): string {
  const { program } = request
  if (program) return program.type === 'image' ? `image ${program.image}` : `program ${program.command}`
  const files = Object.values(MODULE_FOLDERS).flatMap(folder => {
    const count = modules.filter(path => path.startsWith(`${folder}/`)).length
    return count > 0 ? [`${counted(count, 'file')} in ${folder}/`] : []
  })
  if (files.length === 0) return countsToText(request)
  const declared = Object.values(countsOf(request)).some(count => count > 0) ? [countsToText(request)] : []
  return `${[...declared, ...files].join(', ')}, which only mcp build checks`
}

function missingModules({ request, directory }: Project): Problem[] {
  if (request.source !== undefined) return []
  return Object.values(MODULE_FOLDERS).flatMap(list =>
    (request[list] ?? []).flatMap((definition, index) => {
      const handler = 'handler' in definition ? definition.handler : undefined
      if (handler?.type !== 'module') return []
      return missing(directory, posix.normalize(handler.path), `${list}[${index}].handler.path`)
    }),
  )
}

/** Only checks a program of a project file. For `--command`, the build reports the missing file. */
function missingProgram({ request: { program }, directory, locate }: Project): Problem[] {
  const file = !locate || !program || program.type === 'image' ? undefined : missingFile(program, directory)
  return file === undefined ? [] : [{ path: 'program', message: `"${file}" does not exist in ${directory}` }]
}

function missingSuite({ test, directory }: Project): Problem[] {
  return typeof test === 'string' ? missing(directory, test, 'test') : []
}

function missing(directory: string, file: string, path: string): Problem[] {
  const isFile = statSync(resolve(directory, file), { throwIfNoEntry: false })?.isFile() ?? false
  return isFile ? [] : [{ path, message: `"${file}" does not exist in ${directory}` }]
}
