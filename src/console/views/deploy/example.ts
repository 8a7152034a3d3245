/** A small server: a tool that answers from a template and from data, and a resource. */
export const EXAMPLE = {
  name: 'greeter',
  template: 'basic',
  tools: [
    {
      name: 'greet',
      description: 'Greets a person by name.',
      inputSchema: {
        type: 'object',
        properties: {
          name: { type: 'string', description: 'Name of the person' },
          language: { type: 'string', enum: ['en', 'fr', 'de'], default: 'en' },
        },
        required: ['name'],
      },
      handler: { type: 'template', text: '{{ data.greetings[language] }} {{ name }}!' },
    },
  ],
  data: { greetings: { en: 'Hello', fr: 'Bonjour', de: 'Guten Tag' } },
}
