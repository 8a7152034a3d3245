/** A piece of code that keeps a promise, and what is to fail without it. */
export interface Mutation {
  /** What somebody meets when the code is gone. */
  fault: string
  /** Below the table's `files`. */
  file: string
  /** Text that the file holds once. */
  code: string
  without: string
  /** Test files below the table's `tests`, without `.test.ts`, one or several between spaces. */
  tests: string
  /** Part of the name of the test that is to fail, where its file is long. */
  named?: string
}

export interface MutationTable {
  /** What the command line calls it. */
  title: string
  files: string
  tests: string
  mutations: readonly Mutation[]
}

/** A row for each of what one place in the code holds: `[what, code, without]`, without anything where that is left out. */
export function rowsOf(
  pieces: readonly [what: string, code: string, without?: string][],
  row: (what: string) => Omit<Mutation, 'code' | 'without'>,
): Mutation[] {
  return pieces.map(([what, code, without = '']) => ({ ...row(what), code, without }))
}

export function testFiles({ tests: folder }: MutationTable, { tests }: Mutation): string[] {
  return tests.split(' ').map(name => `${folder}/${name}.test.ts`)
}
