import type { Completion } from '../../sdk/define.ts'
import type { ClientContext } from '../server/client-context.ts'
import { toCompletion } from '../server/completion.ts'
import type { CompleteParams, CompleteResult } from '../server/results.ts'
import type { ModulePrompt } from './module-prompts.ts'
import type { ModuleResource } from './module-resources.ts'

/** The function that completes the argument, if there is one. Lists are in the artifact. */
export function completionFunction(
  { ref, argument }: CompleteParams,
  prompts: ReadonlyMap<string, ModulePrompt>,
  resources: readonly ModuleResource[],
): Extract<Completion, (...args: never[]) => unknown> | undefined {
  const completion =
    ref.type === 'ref/prompt'
      ? promptCompletion(prompts.get(ref.name)?.definition, argument.name)
      : resourceCompletion(
          resources.find(({ resource }) => resource.uri === ref.uri)?.definition,
          argument.name,
        )
  return typeof completion === 'function' ? completion : undefined
}

export async function complete(
  completion: NonNullable<ReturnType<typeof completionFunction>>,
  { argument, context }: CompleteParams,
  env: Readonly<Record<string, string>>,
  call: ClientContext,
): Promise<CompleteResult> {
  const { client, signal } = call
  const given = { arguments: context?.arguments ?? {}, env, client, signal }
  return toCompletion([...(await completion(argument.value, given))].map(String))
}

function promptCompletion(definition: ModulePrompt['definition'] | undefined, name: string) {
  if (!definition || typeof definition === 'function') return undefined
  return ownMember(definition.arguments, name)?.complete
}

function resourceCompletion(definition: ModuleResource['definition'] | undefined, name: string) {
  return !definition || typeof definition === 'function' ? undefined : ownMember(definition.complete, name)
}

function ownMember<Value>(object: Record<string, Value> | undefined, name: string): Value | undefined {
  return object && Object.hasOwn(object, name) ? object[name] : undefined
}
