import type { BuildRequest } from '../definitions/definitions.ts'
import { type DefinitionProblem, problem } from './definition-problem.ts'

const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+*-]+(?:\s*;.*)?$/
/** Web URL or data URI. */
const ICON_SOURCE = /^(?:https?:\/\/|data:)\S+$/i

/** Problems with icons and media types. */
export function findPresentationProblems(request: BuildRequest): DefinitionProblem[] {
  const lists = ['tools', 'resources', 'prompts'] as const
  return [
    ...lists.flatMap(list =>
      (request[list] ?? []).flatMap(({ icons = [] }, index) =>
        icons.flatMap(({ src }, icon) => checkIcon(`${list}[${index}].icons[${icon}].src`, src)),
      ),
    ),
    ...(request.resources ?? []).flatMap(({ mimeType }, index) =>
      MEDIA_TYPE.test(mimeType)
        ? []
        : problem(
            `resources[${index}].mimeType`,
            `${JSON.stringify(mimeType)} is not a media type such as "text/plain"`,
          ),
    ),
  ]
}

function checkIcon(path: string, src: string): DefinitionProblem[] {
  if (ICON_SOURCE.test(src)) return []
  return problem(path, `${JSON.stringify(src.slice(0, 60))} must start with https: or data:`)
}
