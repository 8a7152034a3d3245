/** A fault that users would notice, made by changing one expression of the code. A test must fail. */
export interface Fault {
  title: string
  /** Matches exactly once in the files of `src/`. */
  code: RegExp
  /** Replaces the match. */
  faulty: string
  /** Test files that detect the fault: ends of their paths, without `.test.ts`, separated by spaces. */
  tests: string
}

const fault = (tests: string, title: string, code: RegExp, faulty = ''): Fault => ({
  title,
  code,
  faulty,
  tests,
})

/**
 * Faults that only tests with real processes, connections and files can detect. Stryker covers pure code (`stryker.config.json`).
 */
export const FAULTS: readonly Fault[] = [
  // Connections
  fault(
    'engine/handle-sender',
    'connections wait until the one before is acknowledged',
    /queue\._handleQueue = null/,
  ),
  fault(
    'engine/handle-sender',
    'a connection with a long message reaches another server',
    /\w+ <= ATOMIC_BYTES && /,
  ),
  fault(
    'engine/handle-sender',
    'an instance is stopped for acknowledging its connections',
    /if \(handles\?\.settles\(args\[0\]\)\) return true/,
  ),
  fault(
    'peers/peers',
    'sessions are relayed to any process that listens on the port',
    /timingSafeEqual\(given, proofOf\(nonce, key\)\)/,
    'timingSafeEqual(given, given)',
  ),
  fault(
    'sessions/session-owners e2e/serving/several-instances',
    'two instances take over one session',
    /if \(owner && owner\.instance !== asking && .*\) return owner\.port/,
  ),

  // Environments
  fault(
    'e2e/serving/environments',
    'production shares processes',
    /placement: 'dedicated',/,
    "placement: 'shared',",
  ),
  fault(
    'e2e/serving/environments',
    'user code runs in a shared process',
    /template === 'custom' \|\| (?=deployment)/,
  ),

  // Releases
  fault(
    'services/release',
    'a release receives requests before its instances are healthy',
    /await supervisor\.start\(id\)/,
    'void supervisor.start(id).catch(() => {})',
  ),
  fault(
    'services/release',
    'the address points to a release that is still starting',
    /if \(!store\.deployments\.findLive\(name, environment\)\) (?=addresses)/,
  ),
  fault(
    'e2e/serving/releases-under-load',
    'a release cuts off requests to the previous one',
    /supervisor\.drain\(old\.id, \{[^}]*\}\)/,
    'supervisor.remove(old.id)',
  ),
  fault(
    'e2e/serving/release-sessions',
    'sessions are lost at a release',
    /await \w+\.supervisor\.transferSessions\(old\.id, released\.id\)/,
    'void 0',
  ),
  fault(
    'http/deploy',
    'a rollback keeps the current configuration',
    /revealConfig\(secrets, old \?\? live\)/,
    'revealConfig(secrets, live)',
  ),

  // Scaling, crashes and limits
  fault(
    'e2e/serving/scaling',
    'kept-alive clients never reach a new instance',
    /this\.instances\.rebalance\(\)/,
  ),
  fault(
    'services/release',
    'a crashed instance is not restarted',
    /if \(this\.#owner\.isMissing\) (?=.*restarts \+ 1)/,
    'if (restarts < 0) ',
  ),
  fault('runtime/supervisor', 'a crash loop never ends', /isLoop \|\| (?=isFinalFailure)/),
  fault(
    'e2e/isolation/memory-limit',
    'an instance may use any amount of memory',
    /this\.#watchMemory\(\)\?\.\w+\([^)]*\)/,
  ),
  fault(
    'e2e/isolation/hostile-modules',
    'an instance that hangs is not stopped',
    /this\.#unansweredPings < \w+/,
    'this.#unansweredPings < 1e9',
  ),
  fault(
    'process/host-process',
    'on a busy machine, an instance that is out of memory is reported as hanging',
    /(?<=const reason =\s+)(?=heapFailure\()/,
    'this.#reason ?? ',
  ),

  // Sleeping
  fault('runtime/sleep', 'an idle server never sleeps', /this\.#replicas\.sleep\(\)/),
  fault('services/asleep', 'a call does not wake a server', /this\.#owner\.onNeeded\(\)/),
  fault(
    'runtime/sleep',
    'a server that fails to wake answers with a status other than 503',
    /'HTTP\/1\.1 503 Service Unavailable',/,
    "'HTTP/1.1 500 Internal Server Error',",
  ),

  // Logs and metrics
  fault(
    'runtime/logs/log-store',
    'a log grows without limit',
    /if \(status\.size > segmentBytes\) return true/,
  ),
  fault(
    'runtime/logs/log-store',
    'lines that are written during a rotation are lost',
    /= await hold\(\)/,
    '= () => void hold',
  ),
  fault(
    'log/tenant-log',
    'a secret that user code prints is logged',
    /truncate\(this\.#redactText\(text\), /,
    'truncate(text, ',
  ),
  fault(
    'http/metrics',
    'counts for a minute overwrite earlier counts',
    /(?<=const sum = )known \?/,
    'known && !known ?',
  ),

  // Restarts, upgrades, backups and repairs
  fault(
    'instance/host/instance-process',
    'instances outlive their daemon',
    /process\.on\('disconnect', exit\)/,
  ),
  fault('serving/reconcile', 'work that a crash interrupted never ends', /^ +failInterrupted\(\w+\)$/m),
  fault(
    'serving/reconcile',
    'a restart changes the port of a server',
    /known\.port, \{ waits \}/,
    'undefined, { waits }',
  ),
  fault(
    'services/lost-files',
    'a daemon starts empty when its database is lost',
    /(?<=\n +)requireDatabase\(config/,
    ';(() => {})(config',
  ),
  fault(
    'services/lost-files',
    'a lost secret.key is replaced silently',
    /if \(!isNew && !replace\) throw missingKey\(path\)/,
  ),
  fault(
    'services/serving/remove-leftovers',
    'unknown files are removed immediately',
    /keptMs >= KEPT_MS/,
    'keptMs >= 0',
  ),
  fault(
    'e2e/serving/upgrade',
    'an upgrade cuts off requests to the old daemon',
    /await supervisor\.drainAll\(\)/,
  ),
  fault('e2e/serving/upgrade', 'a failed upgrade leaves no daemon', /await \w+\.takeBack\(\)/),
  fault(
    'cli/local-daemon/daemon-restore',
    'a damaged backup is restored',
    /if \(problem\) (?=throw new HostingError\('INVALID_REQUEST', `\$\{backup\.file\} cannot be restored)/,
    'if (problem && !problem) ',
  ),
  fault(
    'cli/doctor/doctor-fix',
    'doctor --fix does not kill a daemon that hangs',
    /\['SIGTERM', 'SIGKILL'\] as const(?=\) \{)/,
    "['SIGTERM'] as const",
  ),
  fault('project/run-esbuild', 'builds fail after the esbuild process was killed', /await esbuild\.stop\(\)/),

  // State
  fault(
    'faults/killed-daemon',
    'acknowledged writes to a store are lost with the daemon',
    /(?<=new StateConnection\()path(?=\)\n +this\.#reads)/,
    "process.env.TMPDIR + '/' + Math.random()",
  ),
  fault(
    'state/user-store',
    'signed-in users share one store.user',
    /USER_SCOPE \+ this\.#caller\.subject/,
    'USER_SCOPE',
  ),
  fault(
    'state/handler-store',
    'a transaction overwrites what another transaction changed',
    /if \(!checks\.every\(.*#reads\.holds.*\) return \{ isConflict: true \}/,
  ),
  fault(
    'state/preview-state',
    'a preview gets the entries of signed-in users',
    /WHERE scope = '' AND (?=\$\{NOT_EXPIRED\}`\n)/,
    'WHERE ',
  ),
  fault(
    'state/preview-state',
    'a preview changes the original',
    /createWriteStream\(join\(to, path\)/,
    'createWriteStream(join(from, path)',
  ),
  fault(
    'container/container-server',
    'files of a container are lost with it',
    /\.\.\.dataArguments\(data, container\),/,
  ),
  fault(
    'container/container-server',
    "a container's user cannot write its data folder",
    /changeOwner\(data, uid, uid\)/,
    'void 0',
  ),

  // Sign-in
  fault(
    'oauth/attacks/codes',
    'an authorization code works twice',
    /insert\('spent', `code \$\{key\}`,/,
    "insert('spent', String(Math.random()),",
  ),
  fault(
    'oauth/attacks/codes',
    'a refresh token works twice',
    /if \(generation !== family\.generation\) return \w+\([^)]*\)/,
  ),
  fault(
    'oauth/attacks/tokens',
    'a token for another server is accepted',
    /audience === undefined \|\| (?=isFor)/,
    'audience !== "" || ',
  ),
  fault(
    'oauth/attacks/browsers',
    'a sign-in finishes in another browser',
    /browser !== undefined && equalSecrets\(hashToken\(browser\), signIn\.browserHash\)/,
    '(browser ?? true)',
  ),
  fault(
    'oauth/attacks/identity-providers',
    'an ID token with a forged signature is accepted',
    /await validateApplicationLevelSignature\([^\n]*/,
  ),
]
