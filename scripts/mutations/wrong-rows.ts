import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { transformSync } from 'esbuild'
import { type Mutation, type MutationTable, testFiles } from './mutation.ts'

/** Sentences about rows that prove nothing (any more): their code or tests are not there, or what is left is no program. */
export function wrongRows(root: string, table: MutationTable): string[] {
  return table.mutations.flatMap(mutation =>
    [
      ...wrongCode(join(root, table.files, mutation.file), mutation),
      ...testFiles(table, mutation)
        .filter(path => !existsSync(join(root, path)))
        .map(path => `there is no ${path}`),
    ].map(why => `${mutation.fault}: ${why}`),
  )
}

function wrongCode(path: string, { file, code, without }: Mutation): string[] {
  const source = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const count = source.split(code).length - 1
  if (count !== 1) return [`${file} holds ${count} times: ${code}`]
  try {
    transformSync(
      source.replace(code, () => without),
      { loader: 'ts', logLevel: 'silent' },
    )
    return []
  } catch (error) {
    return [`${file} is no program without it: ${(error as Error).message}`]
  }
}
