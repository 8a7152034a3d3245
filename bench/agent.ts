import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool } from '@ai-sdk/provider'
import { createEmbeddedModel } from '../src/daemon/agent/embedded/embedded-model.ts'
import { bareStartMs, durationFigure } from './durations.ts'
import { median, percentile } from './measure.ts'
import { describeMachine, type Figure, formatSection, missed } from './report.ts'

/**
 * Scores the embedded model on the function-calling questions in `../shared/data/bfcl`, with the scorer in that folder.
 * `--failures <category>` prints the failures.
 */
const data = fileURLToPath(new URL('../../shared/data/bfcl/', import.meta.url))

const CATEGORIES = {
  simple_python: { name: 'simple', reach: 76 },
  multiple: { name: 'multiple', reach: 70 },
  parallel: { name: 'parallel', reach: 50 },
  parallel_multiple: { name: 'parallel multiple', reach: 35 },
  irrelevance: { name: 'irrelevance', reach: 80 },
}

/** The questions use Python type names. */
const TYPES: Record<string, string | undefined> = {
  dict: 'object',
  float: 'number',
  tuple: 'array',
  any: undefined,
}

const TOOLS = 50

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
  console.log('Nothing was measured, because the questions (../shared/data/bfcl) are missing.')
  process.exit(0)
}

const { score } = await import(pathToFileURL(`${data}score.mjs`).href)
const model = createEmbeddedModel()
const figures: Figure[] = []
const asked: Question[] = []
let needed = 0
let called = 0
const shown = process.argv[process.argv.indexOf('--failures') + 1]

for (const [file, { name, reach }] of Object.entries(CATEGORIES)) {
  const questions = readLines<Question>(`${file}.jsonl`)
  const answers = file === 'irrelevance' ? [] : readLines<Answer>(`${file}.answers.jsonl`)
  const calls: Record<string, Calls> = {}
  for (const question of questions) calls[question.id] = await ask(question)
  asked.push(...questions)
  const result = score(questions, answers, calls)
  if (answers.length > 0) {
    needed += questions.length
    called += questions.filter(({ id }) => calls[id]!.length > 0).length
  }
  figures.push(share(`${name}: full calls`, result.fullCall, reach))
  figures.push(share(`${name}: right tools`, result.toolChoice))
  if (shown === file) printFailures(questions, answers, calls)
}

figures.push(share('questions that need a call and get one', called / needed, 90))
figures.push(...(await timeMessages()))
console.log(formatSection('The embedded model', await describeMachine(), figures))
process.exitCode = missed(figures).length === 0 ? 0 : 1

async function ask(question: Question): Promise<Calls> {
  const names = new Map(question.function.map(tool => [tool.name.replaceAll('.', '_'), tool.name]))
  const { content } = await model.doGenerate({
    prompt: toPrompt(question),
    tools: question.function.map(toTool),
  })
  return content.flatMap(part =>
    part.type === 'tool-call' ? [{ [names.get(part.toolName)!]: JSON.parse(part.input) }] : [],
  )
}

function toTool({
  name,
  description,
  parameters,
}: Question['function'][number]): LanguageModelV4FunctionTool {
  const inputSchema = toJsonSchema(parameters) as LanguageModelV4FunctionTool['inputSchema']
  return { type: 'function', name: name.replaceAll('.', '_'), description, inputSchema }
}

/** CPU time of this thread, independent of other programs: every third question with 50 tools, after warm-up. */
async function timeMessages(): Promise<Figure[]> {
  const pool = asked.flatMap(question => question.function.map(toTool))
  const times: number[] = []
  const starts = [await bareStartMs()]
  for (const round of ['warm', 'measured']) {
    for (const [i, question] of asked.entries()) {
      if (i % 3 !== 0) continue
      const tools = new Map(question.function.map(toTool).map(tool => [tool.name, tool]))
      for (let at = i * 7; tools.size < TOOLS; at += 13) {
        const tool = pool[at % pool.length]!
        if (!tools.has(tool.name)) tools.set(tool.name, tool)
      }
      const before = process.threadCpuUsage()
      await model.doGenerate({ prompt: toPrompt(question), tools: [...tools.values()] })
      const { user, system } = process.threadCpuUsage(before)
      if (round === 'measured') times.push((user + system) / 1000)
    }
  }
  starts.push(await bareStartMs())
  const figure = (name: string, share: number, limitMs: number) => {
    const duration = { ms: percentile(times, share), bareMs: median(starts) }
    return durationFigure(`a message with ${TOOLS} tools, ${name} of CPU time`, [duration], limitMs)
  }
  return [figure('p50', 0.5, 5), figure('p99', 0.99, 30)]
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
    for (const call of calls[question.id]!) console.log('  actual  ', JSON.stringify(call))
    for (const call of answer[0]?.ground_truth ?? []) console.log('  expected', JSON.stringify(call))
  }
}
