import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { transform } from 'esbuild'
import { type Mutation, type MutationTable, testFiles } from './mutation.ts'

/** Sentences about rows that prove nothing (any more): their code or tests are not there, or what is left is no program. */
export async function wrongRows(root: string, table: MutationTable): Promise<string[]> {
  const sentences = table.mutations.map(async mutation => {
    const missing = testFiles(table, mutation).filter(path => !existsSync(join(root, path)))
    const reasons = [
      ...(await wrongCode(join(root, table.files, mutation.file), mutation)),
      ...missing.map(path => `there is no ${path}`),
    ]
    return reasons.map(reason => `${mutation.fault}: ${reason}`)
  })
  return (await Promise.all(sentences)).flat()
}

async function wrongCode(path: string, { file, code, without }: Mutation): Promise<string[]> {
  const source = existsSync(path) ? readFileSync(path, 'utf8') : ''
  const count = source.split(code).length - 1
  if (count !== 1) return [`${file} holds ${count} times: ${code}`]
  const broken = source.replace(code, () => without)
  return transform(broken, { loader: 'ts', logLevel: 'silent' }).then(
    () => [],
    (error: Error) => [`${file} is no program without it: ${error.message}`],
  )
}
