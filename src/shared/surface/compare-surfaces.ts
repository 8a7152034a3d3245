import type { Artifact } from '../definitions/artifact.ts'
import { compareInputs, compareOutputs } from './compare-schemas.ts'
import { sameJson } from './same-json.ts'
import { breaking, compatible, isBreaking, type SurfaceChange } from './surface-change.ts'

/** The part of a server that clients see. */
export type Surface = Pick<Artifact, 'tools' | 'resources' | 'prompts'>

/** Changes in a release for clients of the previous version, breaking changes first. */
export function compareSurfaces(before: Surface, after: Surface): SurfaceChange[] {
  const changes = [
    ...compareTools(before.tools, after.tools),
    ...compareResources(before.resources, after.resources),
    ...comparePrompts(before.prompts, after.prompts),
  ]
  return [...changes.filter(isBreaking), ...changes.filter(change => !isBreaking(change))]
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
  const kept = new Set(after.map(({ name }) => name))
  const removed = before.filter(({ name }) => !kept.has(name))
  const changed = after.flatMap(({ name, required = false }) => {
    const old = known.get(name)
    const at = `${path}.${name}`
    if (!old) return [required ? breaking(at, 'is new and required') : compatible(at, 'is new')]
    if (required && !old.required) return [breaking(at, 'is now required')]
    return !required && old.required ? [compatible(at, 'is now optional')] : []
  })
  return [...removed.map(({ name }) => breaking(`${path}.${name}`, 'is removed')), ...changed]
}

interface Comparison<T> {
  keyOf(entry: T): string
  /** True when a removed entry and a new one are probably the same. */
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
