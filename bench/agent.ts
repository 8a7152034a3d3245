import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { createEmbeddedModel } from '../src/daemon/agent/embedded/embedded-model.ts'
import { percentile } from './measure.ts'
import { type Figure, missed, printTable } from './report.ts'

/**
 * The embedded model on the function-calling questions that lie beside the project, by their own scorer.
 * `--failures <category>` prints what went wrong, `--misses` the questions that got no call.
 */
const data = fileURLToPath(new URL('../../shared/data/bfcl/', import.meta.url))

const CATEGORIES = {
  simple_python: { name: 'simple', reach: 76 },
  multiple: { name: 'multiple', reach: 70 },
  parallel: { name: 'parallel', reach: 50 },
  parallel_multiple: { name: 'parallel multiple', reach: 35 },
  irrelevance: { name: 'irrelevance', reach: 80 },
}

/** The questions name types as Python does. */
const TYPES: Record<string, string | undefined> = {
  dict: 'object',
  float: 'number',
  tuple: 'array',
  any: undefined,
}

interface Question {
  id: string
  question: { role: string; content: string }[][]
  function: { name: string; description: string; parameters: Record<string, unknown> }[]
}

type Calls = Record<string, Record<string, unknown>>[]

interface Answer {
  id: string
  ground_truth: Record<string, Record<string, unknown[]>>[]
}

if (!existsSync(data)) {
  console.log('The questions (../shared/data/bfcl) are not here: nothing was measured.')
  process.exit(0)
}

const { score } = await import(pathToFileURL(`${data}score.mjs`).href)
const model = createEmbeddedModel()
const figures: Figure[] = []
const times: number[] = []
let needed = 0
let called = 0
const shown = process.argv[process.argv.indexOf('--failures') + 1]

for (const [file, { name, reach }] of Object.entries(CATEGORIES)) {
  const questions = readLines<Question>(`${file}.jsonl`)
  const answers = file === 'irrelevance' ? [] : readLines<Answer>(`${file}.answers.jsonl`)
  const calls: Record<string, Calls> = {}
  for (const question of questions) calls[question.id] = await ask(question)
  const result = score(questions, answers, calls)
  if (answers.length > 0) {
    needed += questions.length
    called += questions.filter(({ id }) => calls[id]!.length > 0).length
  }
  figures.push(share(`${name}: full calls`, result.fullCall, reach))
  figures.push(share(`${name}: right tools`, result.toolChoice))
  if (shown === file) printFailures(questions, answers, calls)
}

figures.push(share('of the questions that need a call, those that get one', called / needed, 90))
figures.push({
  name: 'a message, p50 / p99',
  value: `${percentile(times, 0.5).toFixed(1)} / ${percentile(times, 0.99).toFixed(1)} ms`,
})
printTable('The embedded model', figures)
process.exitCode = missed(figures).length === 0 ? 0 : 1

async function ask(question: Question): Promise<Calls> {
  const names = new Map(question.function.map(tool => [tool.name.replaceAll('.', '_'), tool.name]))
  const tools = question.function.map(
    ({ name, description, parameters }): LanguageModelV4FunctionTool => ({
      type: 'function',
      name: name.replaceAll('.', '_'),
      description,
      inputSchema: toJsonSchema(parameters) as LanguageModelV4FunctionTool['inputSchema'],
    }),
  )
  const start = performance.now()
  const { content } = await model.doGenerate({ prompt: toPrompt(question), tools })
  times.push(performance.now() - start)
  return content.flatMap(part =>
    part.type === 'tool-call' ? [{ [names.get(part.toolName)!]: JSON.parse(part.input) }] : [],
  )
}

function toPrompt(question: Question): LanguageModelV4CallOptions['prompt'] {
  return question.question[0]!.map(({ role, content }) =>
    role === 'system'
      ? { role: 'system', content }
      : { role: 'user', content: [{ type: 'text', text: content }] },
  )
}

function toJsonSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toJsonSchema)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, part]) => [key, toJsonSchema(part)])
  const schema = Object.fromEntries(entries)
  if (typeof schema.type === 'string' && schema.type in TYPES) schema.type = TYPES[schema.type]
  return schema
}

function readLines<T>(file: string): T[] {
  const lines = readFileSync(data + file, 'utf8')
    .split('\n')
    .filter(Boolean)
  return lines.map(line => JSON.parse(line) as T)
}

function share(name: string, value: number, reach?: number): Figure {
  const measured = value * 100
  return {
    name,
    value: `${measured.toFixed(1)} %`,
    measured,
    ...(reach !== undefined && { limit: { at: 'least' as const, value: reach, unit: '%' } }),
  }
}

function printFailures(questions: Question[], answers: Answer[], calls: Record<string, Calls>): void {
  for (const question of questions) {
    const answer = answers.filter(({ id }) => id === question.id)
    if (score([question], answer, { [question.id]: calls[question.id] }).fullCall === 1) continue
    console.log(`\n## ${question.id}: ${question.question[0]!.at(-1)!.content}`)
    for (const call of calls[question.id]!) console.log('  made  ', JSON.stringify(call))
    for (const call of answer[0]?.ground_truth ?? []) console.log('  wanted', JSON.stringify(call))
  }
}
