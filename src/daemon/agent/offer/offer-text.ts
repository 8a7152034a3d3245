import type { ModelHints, Offer } from './offer.ts'

/** Description of `read_resource`. Recordings contain it. */
export function describeResources({ resources, resourceTemplates }: Offer): string {
  const lines = [
    ...resources.map(({ uri, name, description }) => line(uri, name, description)),
    ...resourceTemplates.map(({ uriTemplate, name, description }) => line(uriTemplate, name, description)),
  ]
  return [
    'Reads a resource of the server by its URI. In a URI with {variables}, put values in their place. There are:',
    ...lines,
  ].join('\n')
}

/** Description of `get_prompt`. Recordings contain it. */
export function describePrompts({ prompts }: Offer): string {
  const lines = prompts.map(({ name, description, arguments: args = [] }) => {
    const parts = args.map(arg => (arg.required ? arg.name : `${arg.name}?`))
    return line(`${name}(${parts.join(', ')})`, description)
  })
  return ['Fetches a prompt of the server, filled in with its arguments. There are:', ...lines].join('\n')
}

function line(what: string, ...about: (string | undefined)[]): string {
  return `- ${what}: ${about.filter(Boolean).join('. ')}`
}

/** The contents of both descriptions as structured data. */
export function hintsOf({ resources, resourceTemplates, prompts }: Offer): ModelHints {
  return {
    resources: resources.map(({ uri, name, description, mimeType }) => ({
      uri,
      name,
      description,
      mimeType,
    })),
    resourceTemplates: resourceTemplates.map(({ uriTemplate, name, description, mimeType }) => ({
      uriTemplate,
      name,
      description,
      mimeType,
    })),
    prompts: prompts.map(({ name, description, arguments: args = [] }) => ({
      name,
      description,
      arguments: args.map(arg => ({
        name: arg.name,
        description: arg.description,
        required: arg.required ?? false,
      })),
    })),
  }
}
