/**
 * Run of a command against an API that implements only the contract. Every command needs at least one case, except the commands
 * in ELSEWHERE (contract-only.test.ts).
 */
export interface Case {
  args: string
  /** Pattern of standard output. */
  shows?: RegExp
  /** Runs in its own process, which must exit by itself. Set for at least one command per kind of connection. */
  exits?: true
  /** Pattern of an error with exit code 4, whose next steps must work. */
  refused?: RegExp
  input?: string
}

/** `URL`: an MCP server. `DIR`: folder of a project. `HOME`: home of the CLI. */
export const CASES: Record<string, Case[]> = {
  up: [{ args: 'up DIR', shows: /Called add/, exits: true }],
  init: [{ args: 'init HOME/new --name made --template basic', shows: /Created made in/ }],
  build: [{ args: 'build DIR', shows: /Built calc in 1\.5 s/ }],
  test: [{ args: 'test --server mcp-123 hello', shows: /The sum is 5/, exits: true }],
  deploy: [
    { args: 'deploy DIR --env production --domain a.example.com', shows: /dep-9/ },
    { args: 'deploy mcp-123 --no-wait', shows: /dep-9/ },
    { args: 'deploy urn:build:1 --no-wait', shows: /dep-9/ },
  ],
  import: [{ args: 'import HOME/servers.json', shows: /Hosted calc at http/, exits: true }],
  export: [{ args: 'export mcp-123', refused: /does not offer GET \/v1\/build\/mcp-123\/artifact/ }],
  list: [{ args: 'list', refused: /does not list builds and deployments/ }],
  status: [
    { args: 'status dep-9', shows: /dep-9 is deployed/, exits: true },
    { args: 'status dep-9 --health', shows: /dep-9 is healthy\s+region {2}eu/ },
    { args: 'status nope', refused: /with status 404/ },
    { args: 'status', refused: /does not list deployments/ },
    { args: 'status --watch', refused: /does not offer GET \/api\/metrics/ },
  ],
  logs: [
    { args: 'logs lb1', shows: /Step 1\/2\nStep 2\/2\n/ },
    { args: 'logs lb1 --follow', shows: /Step 1\/2\nStep 2\/2\n$/, exits: true },
    { args: 'logs bld_abc', refused: /Container build "bld_abc" does not exist/ },
    { args: 'logs dep-9', refused: /only has logs of container builds/ },
    { args: 'logs', refused: /does not offer GET \/api\/logs/ },
  ],
  releases: [{ args: 'releases calc', refused: /does not offer GET \/api\/servers\/calc\/releases/ }],
  requests: [{ args: 'requests calc', refused: /does not offer GET \/api\/requests/ }],
  'requests show': [{ args: 'requests show req_1', refused: /does not offer GET \/api\/requests/ }],
  'requests replay': [{ args: 'requests replay req_1', refused: /does not offer GET \/api\/requests/ }],
  'requests export': [{ args: 'requests export', refused: /does not offer GET \/api\/requests\/export/ }],
  sessions: [{ args: 'sessions calc', refused: /does not offer GET \/api\/servers\/calc\/sessions/ }],
  'sessions end': [
    { args: 'sessions end ses_1 --server calc', refused: /does not offer GET/ },
    { args: 'sessions end --all --server calc --yes', refused: /does not offer DELETE/ },
  ],
  grants: [{ args: 'grants calc', refused: /does not offer GET \/api\/servers\/calc\/grants/ }],
  'grants revoke': [{ args: 'grants revoke p0Zt --server calc --yes', refused: /does not offer GET/ }],
  clients: [{ args: 'clients calc', refused: /does not offer GET \/api\/servers\/calc\/clients/ }],
  'clients remove': [{ args: 'clients remove Yk2n --server calc --yes', refused: /does not offer GET/ }],
  metrics: [{ args: 'metrics dep-9', refused: /does not offer/ }],
  events: [{ args: 'events', refused: /does not offer GET \/api\/events/ }],
  stop: [{ args: 'stop dep-9', refused: /does not offer POST \/v1\/deploy\/dep-9\/stop/ }],
  start: [{ args: 'start dep-9', refused: /does not offer/ }],
  restart: [{ args: 'restart dep-9', refused: /does not offer/ }],
  rollback: [{ args: 'rollback dep-9', refused: /does not offer/ }],
  remove: [
    { args: 'remove dep-9 --yes', refused: /does not offer DELETE \/v1\/deploy\/dep-9/ },
    { args: 'remove mcp_123 --yes', refused: /does not offer DELETE \/v1\/build\/mcp_123/ },
    { args: 'remove calc --data --yes', refused: /does not offer DELETE \/v1\/servers\/calc/ },
  ],
  explain: [{ args: 'explain', shows: /NOT_FOUND +4/ }],
  prune: [{ args: 'prune', refused: /does not offer GET \/api\/prune/ }],
  'env list': [{ args: 'env list calc', refused: /does not offer GET \/v1\/servers\/calc\/env/ }],
  'env set': [{ args: 'env set calc A=1', refused: /does not offer PATCH/ }],
  'env unset': [{ args: 'env unset calc A', refused: /does not offer GET/ }],
  'env pull': [{ args: 'env pull calc --file HOME/pulled.env', refused: /does not offer GET/ }],
  'env push': [{ args: 'env push calc --file HOME/pushed.env', refused: /does not offer PATCH/ }],
  'env release': [{ args: 'env release calc', refused: /does not offer POST/ }],
  tools: [
    { args: 'tools URL', shows: /add/, exits: true },
    { args: 'tools dep-9', refused: /does not report the URL/ },
    { args: 'tools mcp-123', refused: /Deployment "mcp-123" does not exist/ },
  ],
  call: [
    { args: 'call URL add a=1 b=2', shows: /3/ },
    { args: 'call dep-9 add', refused: /does not report the URL/ },
  ],
  open: [{ args: 'open URL', shows: /^http:.*\/mcp\n$/ }],
  resources: [{ args: 'resources dep-9', refused: /does not report the URL/ }],
  read: [{ args: 'read dep-9 docs://a', refused: /does not report the URL/ }],
  prompts: [{ args: 'prompts dep-9', refused: /does not report the URL/ }],
  prompt: [{ args: 'prompt dep-9 greet', refused: /does not report the URL/ }],
  chat: [{ args: 'chat mcp-123', input: 'one\n', shows: /The sum is 5/, exits: true }],
  'tests list': [{ args: 'tests list', refused: /does not offer GET \/api\/suite-runs/ }],
  'tests show': [{ args: 'tests show srun-1', refused: /does not offer/ }],
  'tests remove': [{ args: 'tests remove srun-1 --yes', refused: /does not offer/ }],
  'chats list': [{ args: 'chats list', refused: /does not offer GET \/api\/chats/ }],
  'chats show': [{ args: 'chats show chat-7', refused: /does not offer/ }],
  'chats count': [{ args: 'chats count chat-7', shows: /4 messages in chat chat-7/ }],
  'chats remove': [{ args: 'chats remove chat-7 --yes', refused: /does not offer/ }],
  connect: [
    { args: 'connect URL --client claude-code --print', shows: /URL/ },
    { args: 'connect dep-9 --client claude-code', refused: /does not report the URL/ },
  ],
  'domains list': [{ args: 'domains list', refused: /does not offer GET \/api\/lambda-mapping/ }],
  'domains add': [{ args: 'domains add team dep-9', refused: /does not offer PUT/ }],
  'domains remove': [
    { args: 'domains remove team', shows: /Removed subdomain team/ },
    { args: 'domains remove other', refused: /with status 404/ },
  ],
  'domains certificates': [
    { args: 'domains certificates', refused: /does not offer GET \/api\/certificates/ },
  ],
  'projects list': [{ args: 'projects list', refused: /does not offer GET \/api\/projects/ }],
  'projects create': [{ args: 'projects create x', refused: /does not offer POST \/api\/projects/ }],
  'projects show': [{ args: 'projects show p1', refused: /does not offer/ }],
  'projects update': [{ args: 'projects update p1 --name z', shows: /z/ }],
  'projects archive': [{ args: 'projects archive p1', shows: /archived/ }],
  'projects delete': [{ args: 'projects delete p1 --yes', shows: /deleted/ }],
  'projects upload': [{ args: 'projects upload p1 DIR', refused: /does not offer PUT/ }],
  'projects build': [
    { args: 'projects build p1 --no-wait', shows: /Container build lb1: pending/ },
    { args: 'projects build p1', shows: /Container build lb1: pending/, exits: true },
    { args: 'projects build nope', refused: /with status 404/ },
  ],
  'projects builds': [{ args: 'projects builds p1', refused: /does not offer GET \/api\/lambda-builds/ }],
  'projects link': [{ args: 'projects link p1', shows: /Linked to p1/ }],
  'store list': [{ args: 'store list notes', refused: /does not offer GET \/v1\/servers/ }],
  'store get': [{ args: 'store get notes a', refused: /does not offer/ }],
  'store set': [{ args: 'store set notes a 1', refused: /does not offer PATCH/ }],
  'store delete': [{ args: 'store delete notes a', refused: /does not offer/ }],
  'store export': [{ args: 'store export notes', refused: /does not offer/ }],
  'store import': [
    { args: 'store import notes -', input: '{"key":"a","value":1}', refused: /does not offer/ },
  ],
  console: [
    { args: 'console', refused: /does not offer POST \/api\/console\/links/ },
    { args: 'console --sign-out', refused: /does not offer DELETE \/api\/console\/sessions/ },
  ],
  whoami: [{ args: 'whoami', shows: /hosted key/ }],
  'keys list': [{ args: 'keys list', refused: /does not offer GET \/api\/keys/ }],
  'keys create': [{ args: 'keys create --name x', refused: /does not offer POST \/api\/keys/ }],
  'keys revoke': [{ args: 'keys revoke x --yes', refused: /does not offer/ }],
  'keys check': [{ args: 'keys check secret GET /v1/build', refused: /does not offer/ }],
  'models list': [{ args: 'models list', refused: /does not offer/ }],
  'models login': [{ args: 'models login openai --key -', input: 'sk-1', refused: /does not offer/ }],
  'models logout': [{ args: 'models logout openai', refused: /does not offer/ }],
  'context show': [{ args: 'context show', shows: /MCP_API_URL/ }],
  'context list': [{ args: 'context list', shows: /local/ }],
  doctor: [{ args: 'doctor', shows: /ok\s+api/, exits: true }],
}
