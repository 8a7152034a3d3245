import { ERROR_CODES, type ErrorCode, HostingError } from '../../shared/errors.ts'
import { nearestName } from '../../shared/names.ts'
import { defineCommand } from '../command-line/command.ts'
import { ERROR_EXPLANATIONS, EXIT_MEANINGS } from '../command-line/error-explanations.ts'
import { EXIT, EXIT_CODE_OF } from '../command-line/exit-codes.ts'
import type { Output } from '../output/output.ts'

const EXIT_CODES = Object.values(EXIT).map(String)

export default defineCommand({
  name: 'explain',
  description:
    'Explain an error code (`NOT_FOUND`) or an exit code (`4`): its meaning, the usual causes and the next step. Without a code, list all codes.',
  arguments: { code: { choices: [...ERROR_CODES, ...EXIT_CODES], doc: 'error code or exit code' } },
  examples: {
    'mcp explain': 'list all codes',
    'mcp explain UPSTREAM_FAILED': 'one error code',
    'mcp explain $?': 'the exit code of the last command',
  },
  run({ output }, { code }) {
    if (code === undefined) return showAll(output)
    const name = code.toUpperCase()
    if (isErrorCode(name)) return showError(output, name)
    if (EXIT_CODES.includes(code)) return showExitCode(output, Number(code))
    throw unknownCode(code)
  },
})

function showAll(output: Output): void {
  const exitCodes = Object.values(EXIT).map(toExitRecord)
  output.result({ errors: ERROR_CODES.map(toRecord), exit_codes: exitCodes }, () => {
    showErrorTable(output, ERROR_CODES)
    output.line()
    output.table(
      ['EXIT', 'MEANING'],
      exitCodes.map(({ exit, meaning }) => [String(exit), meaning]),
    )
    output.next({ description: 'Explain a code', command: 'mcp explain NOT_FOUND' })
  })
}

function showError(output: Output, code: ErrorCode): void {
  const { meaning, causes, next, exit } = toRecord(code)
  output.result(toRecord(code), () => {
    output.line(`${output.style.bold(code)}: ${meaning}. Exit code ${exit}.`)
    output.line()
    output.line('Usual causes:')
    for (const cause of causes) output.line(`- ${cause}`, 2)
    output.next(...next)
  })
}

function showExitCode(output: Output, exit: number): void {
  const record = toExitRecord(exit)
  output.result(record, () => {
    output.line(`${output.style.bold(`Exit code ${exit}`)}: ${record.meaning}.`)
    if (record.errors.length === 0) return
    output.line()
    showErrorTable(output, record.errors)
  })
}

function showErrorTable(output: Output, codes: readonly ErrorCode[]): void {
  const rows = codes.map(toRecord).map(({ code, exit, meaning }) => [code, String(exit), meaning])
  output.table(['ERROR', 'EXIT', 'MEANING'], rows)
}

function toRecord(code: ErrorCode) {
  return { code, exit: EXIT_CODE_OF[code], ...ERROR_EXPLANATIONS[code] }
}

function toExitRecord(exit: number) {
  const errors = ERROR_CODES.filter(code => EXIT_CODE_OF[code] === exit)
  return { exit, meaning: EXIT_MEANINGS[exit]!, errors }
}

function isErrorCode(name: string): name is ErrorCode {
  return (ERROR_CODES as readonly string[]).includes(name)
}

function unknownCode(code: string): HostingError {
  const near = nearestName(code.toUpperCase(), ERROR_CODES)
  const hint = near ? ` Did you mean ${near}?` : ''
  return new HostingError('INVALID_REQUEST', `mcp has no error code or exit code "${code}".${hint}`, {
    next: [{ description: 'List all codes', command: 'mcp explain' }],
  })
}
