import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../local-daemon/package-root.ts'
import { CONFIG, type NewProject } from './project-files.ts'

export const CI_SYSTEMS = ['github'] as const

/** Adds a workflow that builds and tests the project, and deploys its main branch to a hosted API. */
export function withWorkflow(project: NewProject): NewProject {
  const content = readFileSync(join(packageRoot(), 'templates', 'ci', 'github.yml'), 'utf8')
  const workflow = {
    path: '.github/workflows/mcp.yml',
    content: hasSuite(project) ? content : withoutSuite(content),
  }
  return { ...project, files: [...project.files, workflow] }
}

function hasSuite({ files }: NewProject): boolean {
  const config = files.find(({ path }) => path === CONFIG)
  return 'test' in JSON.parse(config?.content ?? '{}')
}

function withoutSuite(workflow: string): string {
  const lines = workflow.split('\n').filter(line => !line.includes('mcp test'))
  return lines.join('\n').replace(' --require-test 1', '')
}
