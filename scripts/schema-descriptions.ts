/** What an editor shows beside a field of a project file, by its path without indices. */
export const DESCRIPTIONS: Readonly<Record<string, string>> = {
  $schema: 'Path of this schema, so that an editor completes the file.',
  name: 'Name of the server: 1 to 63 letters, digits, "-", "_" or ".". Every build of a name is a version of the same server.',
  template:
    'basic: declared answers. advanced: also HTTP calls and resource templates. custom: code of your own.',
  title: 'Name for people.',
  version: 'Your own version text; clients see it.',
  instructions: 'What clients tell the model about the server as a whole.',
  data: 'Any JSON; every template reads it as data.',
  env: 'Environment variables that templates may read as env.NAME. Their values come with the deployment.',
  'env.name': 'Letters, digits and "_", not starting with a digit.',
  'env.required': 'Whether a deployment without it is refused.',
  'env.default': 'Value where the deployment gives none.',
  page_size: 'Entries on a page of each list; all on one page without it.',
  project_id: 'Id of the project that the build belongs to.',
  source: 'Id of an uploaded source archive (custom).',
  tools: 'What a model can call.',
  'tools.name': 'Name by which it is called.',
  'tools.title': 'Name for people.',
  'tools.description': 'What the tool does; models choose by it.',
  'tools.inputSchema':
    'JSON Schema of the arguments (2020-12, or draft-07 by $schema), of type object. Arguments are validated before the handler runs; defaults are filled in.',
  'tools.outputSchema': 'JSON Schema of the answer; the answer is validated against it.',
  'tools.annotations': 'Hints for clients: readOnlyHint, destructiveHint, idempotentHint, openWorldHint.',
  'tools.icons': 'Pictures that clients may show.',
  'tools._meta': 'Handed on to clients as it is.',
  'tools.handler': 'How the tool answers. Without one it answers with a sample made from outputSchema.',
  'tools.handler.type':
    'template: a declared answer. http: a call to another API (advanced). module: code (custom).',
  'tools.handler.text': 'Liquid template of a text answer.',
  'tools.handler.json':
    'JSON answer whose strings are Liquid templates; a string that is one {{ expression }} keeps its type.',
  'tools.handler.content': 'MCP content blocks whose strings are Liquid templates.',
  'tools.handler.isError': 'true, or a template that renders to true, makes the answer a tool error.',
  'tools.handler.emit': 'Log messages, progress and pauses before the answer, in order.',
  'tools.handler.method': 'HTTP method; default GET.',
  'tools.handler.url': 'Liquid template of the address to call.',
  'tools.handler.headers': 'Request headers; values are Liquid templates.',
  'tools.handler.query': 'Query parameters; a value that renders to nothing leaves its parameter out.',
  'tools.handler.body':
    'A text template is sent as it renders; anything else as JSON whose strings are templates.',
  'tools.handler.result':
    'How the answer is made of response {status, headers, body}; without it the body is the answer.',
  'tools.handler.timeoutMs': 'Milliseconds until the call counts as failed; default 30000.',
  'tools.handler.maxResponseBytes': 'Largest answer that is read; default 5000000.',
  'tools.handler.retries':
    'Further tries for idempotent methods on connection faults, 429, 502, 503 and 504; default 2.',
  'tools.handler.path': 'Module file in the project.',
  'tools.handler.export': 'Name of the exported function; default "default".',
  resources: 'What a client can read.',
  'resources.uri': 'scheme://path; with {variables} it is a resource template (RFC 6570).',
  'resources.name': 'Name of the resource.',
  'resources.description': 'What the resource holds.',
  'resources.mimeType': 'Content type; default application/json.',
  'resources.text': 'Liquid template of the content, over data and the URI variables.',
  'resources.blob': 'Content as base 64.',
  'resources.file': 'A file of the project; its content is sent with the build as it is.',
  'resources.handler': 'A template or http handler that makes the content.',
  'resources.completions':
    'Values that clients may suggest, per URI variable: a list, or a template with one value a line.',
  prompts: 'Texts that a person can start a conversation with.',
  'prompts.name': 'Name of the prompt.',
  'prompts.description': 'What the prompt helps with.',
  'prompts.template':
    'Liquid template of one user message. Each {{ variable }} is an argument, required unless it has a default filter.',
  'prompts.arguments': 'Describes arguments; those of the template need no declaration.',
  'prompts.messages': 'Several messages instead of one template.',
  'prompts.completions': 'Values that clients may suggest, per argument.',
  deploy: 'Defaults of mcp deploy, per environment.',
  'deploy.production': 'Defaults for production.',
  'deploy.staging': 'Defaults for staging.',
  'deploy.development': 'Defaults for development.',
  test: 'A test suite: its path, or the suite itself.',
  project: 'Id of the linked project.',
  'deploy.network': 'Default of network in all environments.',
  ...deployFields('production'),
  ...deployFields('staging'),
  ...deployFields('development'),
}

function deployFields(environment: string): Record<string, string> {
  return {
    [`deploy.${environment}.domain`]: 'Custom domain.',
    [`deploy.${environment}.scaling`]:
      'How many instances run: min_instances (default 1) to max_instances (default 10).',
    [`deploy.${environment}.env_vars`]:
      'Values of the declared environment variables. Secrets are better given with mcp deploy --env-file.',
    [`deploy.${environment}.allow_private_network`]:
      'Lets handlers, modules and programs reach loopback, private and link-local addresses.',
    [`deploy.${environment}.network`]:
      'The only hosts that they may reach, or "none"; the public network when it is left out.',
    [`deploy.${environment}.network.allow`]:
      'Hosts such as api.github.com, *.example.com:443, 203.0.113.7:5432.',
    [`deploy.${environment}.log_level`]: 'debug logs every MCP message, redacted; info one line a request.',
    [`deploy.${environment}.auth`]:
      'Clients sign their user in first: with which provider (docs/sign-in.md).',
    [`deploy.${environment}.auth.provider`]:
      'Who signs users in; local: this daemon, for development. openid and custom: any other provider.',
    [`deploy.${environment}.auth.client_id`]:
      'From the identity provider; <PROVIDER>_CLIENT_ID of mcp deploy when it is left out.',
    [`deploy.${environment}.auth.client_secret`]:
      'Better left out: mcp deploy takes it from <PROVIDER>_CLIENT_SECRET.',
    [`deploy.${environment}.auth.scopes`]: 'What tokens may be asked for.',
    [`deploy.${environment}.auth.required_scopes`]: 'Each request needs these.',
    [`deploy.${environment}.auth.token_ttl`]: 'Seconds that an access token lives; default 3600.',
  }
}
