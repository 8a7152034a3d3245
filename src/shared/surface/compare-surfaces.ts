import type { Artifact } from '../artifact.ts'
import { compareInputs, compareOutputs } from './compare-schemas.ts'
import { sameJson } from './same-json.ts'

/** What clients see of a server. */
export type Surface = Pick<Artifact, 'tools' | 'resources' | 'prompts'>

export interface SurfaceChange {
  /** `breaking`: a client of the version before may fail. */
  kind: 'breaking' | 'compatible'
  /** `tools.add.inputSchema.b`, `resources.docs://guide`, `prompts.greet.arguments.who` */
  path: string
  /** A sentence's end: `is removed`. */
  message: string
}

/** What a release changes for the clients of the version before, breaking changes first. */
export function compareSurfaces(before: Surface, after: Surface): SurfaceChange[] {
  const changes = [
    ...compareTools(before.tools, after.tools),
    ...compareResources(before.resources, after.resources),
    ...comparePrompts(before.prompts, after.prompts),
  ]
  return [...changes.filter(isBreaking), ...changes.filter(change => !isBreaking(change))]
}

export function isBreaking({ kind }: SurfaceChange): boolean {
  return kind === 'breaking'
}

type Tool = Surface['tools'][number]

function compareTools(before: Tool[], after: Tool[]): SurfaceChange[] {
  return compareByKey('tools', before, after, {
    keyOf: tool => tool.name,
    sameUnderAnotherName: (a, b) =>
      sameJson(a.inputSchema, b.inputSchema) &&
      sameJson(a.outputSchema ?? null, b.outputSchema ?? null) &&
      a.description === b.description,
    compare: (path, a, b) => [
      ...compareInputs(`${path}.inputSchema`, a.inputSchema, b.inputSchema),
      ...compareOutputs(`${path}.outputSchema`, a.outputSchema, b.outputSchema),
    ],
  })
}

type Resource = Surface['resources'][number]

function compareResources(before: Resource[], after: Resource[]): SurfaceChange[] {
  return compareByKey('resources', before, after, {
    keyOf: resource => resource.uri,
    sameUnderAnotherName: (a, b) => a.name === b.name && a.mimeType === b.mimeType,
    compare: (path, a, b) =>
      a.mimeType === b.mimeType
        ? []
        : [breaking(`${path}.mimeType`, `is ${b.mimeType} instead of ${a.mimeType}`)],
  })
}

type Prompt = Surface['prompts'][number]

function comparePrompts(before: Prompt[], after: Prompt[]): SurfaceChange[] {
  return compareByKey('prompts', before, after, {
    keyOf: prompt => prompt.name,
    sameUnderAnotherName: (a, b) => a.template !== undefined && a.template === b.template,
    compare: (path, a, b) => compareArguments(`${path}.arguments`, a.arguments, b.arguments),
  })
}

function compareArguments(
  path: string,
  before: Prompt['arguments'],
  after: Prompt['arguments'],
): SurfaceChange[] {
  const known = new Map(before.map(argument => [argument.name, argument]))
  const left = new Set(after.map(({ name }) => name))
  const removed = before.filter(({ name }) => !left.has(name))
  const changed = after.flatMap(({ name, required = false }) => {
    const old = known.get(name)
    const at = `${path}.${name}`
    if (!old) return [required ? breaking(at, 'is new and required') : compatible(at, 'is new')]
    if (required && !old.required) return [breaking(at, 'is required now')]
    return !required && old.required ? [compatible(at, 'is optional now')] : []
  })
  return [...removed.map(({ name }) => breaking(`${path}.${name}`, 'is removed')), ...changed]
}

interface Comparison<T> {
  keyOf(entry: T): string
  /** So alike that a removed one and a new one are the same. */
  sameUnderAnotherName(before: T, after: T): boolean
  compare(path: string, before: T, after: T): SurfaceChange[]
}

function compareByKey<T>(list: string, before: T[], after: T[], comparison: Comparison<T>): SurfaceChange[] {
  const { keyOf, sameUnderAnotherName, compare } = comparison
  const old = new Map(before.map(entry => [keyOf(entry), entry]))
  const kept = new Set(after.map(keyOf))
  const added = new Map(after.filter(entry => !old.has(keyOf(entry))).map(entry => [keyOf(entry), entry]))
  const removed = before.filter(entry => !kept.has(keyOf(entry)))
  const losses = removed.map(entry => {
    const path = `${list}.${keyOf(entry)}`
    const renamed = [...added.values()].find(candidate => sameUnderAnotherName(entry, candidate))
    if (!renamed) return breaking(path, 'is removed')
    added.delete(keyOf(renamed))
    return breaking(path, `is renamed to ${keyOf(renamed)}`)
  })
  const differences = after.flatMap(entry => {
    const known = old.get(keyOf(entry))
    return known === undefined ? [] : compare(`${list}.${keyOf(entry)}`, known, entry)
  })
  return [...losses, ...differences, ...[...added.keys()].map(key => compatible(`${list}.${key}`, 'is new'))]
}

function breaking(path: string, message: string): SurfaceChange {
  return { kind: 'breaking', path, message }
}

function compatible(path: string, message: string): SurfaceChange {
  return { kind: 'compatible', path, message }
}
