import weather from '../../../../examples/weather/mcp.config.json' with { type: 'json' }

interface Example {
  title: string
  definition: object
}

/** A tool that answers from a template and from data. */
const GREETER = {
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

/** The suite is a separate file, and `$schema` refers to a file on the project's disk. */
const { $schema: _schema, test: _test, ...WEATHER } = weather

/** Definitions to start with. They run without a key and without a connection to the internet. */
export const EXAMPLES: readonly Example[] = [
  { title: 'Greeter: one tool', definition: GREETER },
  { title: 'Weather: three tools, resources, a prompt and data tables', definition: WEATHER },
]
