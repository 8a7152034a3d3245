import type { BuildRequest } from '../definitions.ts'
import type { DefinitionProblem } from '../validate-definitions.ts'

const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+*-]+(?:\s*;.*)?$/
/** What clients load as an icon: a web address or the data itself. */
const ICON_SOURCE = /^(?:https?:\/\/|data:)\S+$/i

/** What clients show and read of definitions without understanding it. */
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
        : [
            {
              path: `resources[${index}].mimeType`,
              message: `${JSON.stringify(mimeType)} is not a media type such as "text/plain"`,
            },
          ],
    ),
  ]
}

function checkIcon(path: string, src: string): DefinitionProblem[] {
  if (ICON_SOURCE.test(src)) return []
  return [{ path, message: `${JSON.stringify(src.slice(0, 60))} must start with https: or data:` }]
}
