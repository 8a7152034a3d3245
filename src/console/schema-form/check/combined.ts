import { isSchemaObject, type SchemaObject } from '../model/schema-document.ts'
import { listIn, type Problem, schemasIn, type Visit } from './visit.ts'

/** Checks the keywords that apply other schemas to the same value. */
export function combinedProblems(schema: SchemaObject, at: Visit): Problem[] {
  return [
    ...references(schema).flatMap(reference => at.with(at.run.document.resolve(reference))),
    ...listIn(schema.allOf).flatMap(part => at.with(part)),
    ...(['oneOf', 'anyOf'] as const).flatMap(keyword => alternativeProblems(keyword, schema[keyword], at)),
    ...conditionalProblems(schema, at),
    ...('not' in schema && at.with(schema.not).length === 0
      ? [at.problem('not', {}, 'matches what the schema excludes')]
      : []),
  ]
}

export function references(schema: SchemaObject): string[] {
  return [schema.$ref, schema.$dynamicRef].filter(value => typeof value === 'string')
}

function alternativeProblems(keyword: 'oneOf' | 'anyOf', alternatives: unknown, at: Visit): Problem[] {
  if (!Array.isArray(alternatives) || alternatives.length === 0) return []
  const results = alternatives.map(alternative => at.with(alternative))
  const matches = results.filter(problems => problems.length === 0).length
  if (matches > 1 && keyword === 'oneOf') {
    return [at.problem(keyword, {}, `matches ${matches} of the alternatives, but only one may match`)]
  }
  if (matches > 0) return []
  const picked = results[at.picked[keyword] ?? -1]
  // The alternative with the fewest problems is most likely meant.
  return picked ?? results.reduce((best, problems) => (problems.length < best.length ? problems : best))
}

function conditionalProblems(schema: SchemaObject, at: Visit): Problem[] {
  return conditionalParts(schema, at.state, part => at.with(part).length === 0).flatMap(part => at.with(part))
}

/** Schemas that apply because of other parts of the value: `if`, `dependentSchemas`, `dependentRequired`, `dependencies`. */
export function conditionalParts(
  schema: SchemaObject,
  state: unknown,
  matches: (part: unknown) => boolean,
): unknown[] {
  const parts: unknown[] = []
  if ('if' in schema) {
    const branch = matches(schema.if) ? schema.then : schema.else
    if (branch !== undefined) parts.push(branch)
  }
  if (!isSchemaObject(state)) return parts
  for (const keyword of ['dependentSchemas', 'dependentRequired', 'dependencies']) {
    for (const [name, part] of Object.entries(schemasIn(schema[keyword]))) {
      if (Object.hasOwn(state, name)) parts.push(Array.isArray(part) ? { required: part } : part)
    }
  }
  return parts
}
