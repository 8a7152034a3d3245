import { endianness } from 'node:os'

/**
 * A seccomp filter for `bwrap --seccomp`, in the format of seccomp(2) and linux/filter.h. It allows network sockets and
 * pairs of connected sockets. Other ways out of the sandbox's network and files fail:
 *
 * - Unix sockets (`EAFNOSUPPORT`): the machine's sockets can be in any folder, and a read-only mount does not prevent
 *   `connect`. Datagram pairs could be connected to another address, so only stream and seqpacket pairs are allowed.
 * - Other families, such as AF_VSOCK, which no network namespace covers.
 * - io_uring, which opens sockets without these system calls, and the kernel's key rings, which all processes of a user
 *   share.
 * - Memory that belongs to no process and therefore escapes memory limits: files in memory (memfd_create), System V IPC,
 *   and file systems that a program could mount in its own user namespace.
 * - System calls of other architectures (32-bit, x32), which have other numbers.
 */
export interface SocketFilterOptions {
  /** Allow Unix sockets. */
  unixSockets?: boolean
}

interface Architecture {
  /** AUDIT_ARCH_* of linux/audit.h */
  audit: number
  socket: number
  socketpair: number
  /**
   * io_uring_setup, io_uring_enter, io_uring_register; add_key, request_key, keyctl; memfd_create, memfd_secret; shmget,
   * semget, msgget; mount, fsopen
   */
  refused: readonly number[]
}

/** System call numbers of asm-generic/unistd.h */
const GENERIC = {
  socket: 198,
  socketpair: 199,
  refused: [425, 426, 427, 217, 218, 219, 279, 447, 194, 190, 186, 40, 430],
}

const ARCHITECTURES: Partial<Record<NodeJS.Architecture, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    socket: 41,
    socketpair: 53,
    refused: [425, 426, 427, 248, 249, 250, 319, 447, 29, 64, 68, 165, 430],
  },
  arm64: { audit: 0xc00000b7, ...GENERIC },
  riscv64: { audit: 0xc00000f3, ...GENERIC },
  loong64: { audit: 0xc0000102, ...GENERIC },
}

const X32_BIT = 0x40000000

const LOAD = 0x20 // BPF_LD | BPF_W | BPF_ABS
const AND = 0x54 // BPF_ALU | BPF_AND | BPF_K
const IF_EQUAL = 0x15 // BPF_JMP | BPF_JEQ | BPF_K
const IF_AT_LEAST = 0x35 // BPF_JMP | BPF_JGE | BPF_K
const RETURN = 0x06 // BPF_RET | BPF_K

/** Offsets in struct seccomp_data. Like the kernel, the filter only reads the lower half of an `int` argument. */
const NUMBER = 0
const ARCHITECTURE = 4
const FIRST_ARGUMENT = 16
const SECOND_ARGUMENT = 24

const ALLOW = 0x7fff0000
const KILL = 0x80000000
const ENOSYS = 0x00050000 | 38
const EAFNOSUPPORT = 0x00050000 | 97

const [AF_UNIX, AF_INET, AF_INET6, AF_NETLINK] = [1, 2, 10, 16]
const [SOCK_STREAM, SOCK_SEQPACKET] = [1, 5]
/** The other bits of a socket's type are flags. */
const TYPE_MASK = 0xf

type Instruction = [code: number, value: number, skipIfTrue: number, skipIfFalse: number]

/** Undefined on unsupported architectures. */
export function socketFilter(
  { unixSockets = false }: SocketFilterOptions = {},
  arch: NodeJS.Architecture = process.arch,
): Buffer | undefined {
  const architecture = ARCHITECTURES[arch]
  if (!architecture || endianness() !== 'LE') return undefined
  return encode(instructions(architecture, unixSockets))
}

function instructions(
  { audit, socket, socketpair, refused }: Architecture,
  unixSockets: boolean,
): Instruction[] {
  const families = [AF_INET, AF_INET6, AF_NETLINK, ...(unixSockets ? [AF_UNIX] : [])]
  const pairs = [load(FIRST_ARGUMENT), ...returnUnless(AF_UNIX, EAFNOSUPPORT), load(SECOND_ARGUMENT)]
  const types = unixSockets ? [] : allowOnly([SOCK_STREAM, SOCK_SEQPACKET])
  return [
    load(ARCHITECTURE),
    ...returnUnless(audit, KILL),
    load(NUMBER),
    [IF_AT_LEAST, X32_BIT, 0, 1],
    returnResult(ENOSYS),
    ...refused.flatMap(number => [[IF_EQUAL, number, 0, 1] as Instruction, returnResult(ENOSYS)]),
    ...whenNumber(socket, [load(FIRST_ARGUMENT), ...allowOnly(families)]),
    ...whenNumber(socketpair, [...pairs, [AND, TYPE_MASK, 0, 0], ...types, returnResult(ALLOW)]),
    returnResult(ALLOW),
  ]
}

function load(offset: number): Instruction {
  return [LOAD, offset, 0, 0]
}

function returnResult(result: number): Instruction {
  return [RETURN, result, 0, 0]
}

function returnUnless(value: number, result: number): Instruction[] {
  return [[IF_EQUAL, value, 1, 0], returnResult(result)]
}

/** Runs the block for this system call. Every path through the block must return. */
function whenNumber(number: number, block: Instruction[]): Instruction[] {
  return [[IF_EQUAL, number, 0, block.length], ...block]
}

function allowOnly(values: readonly number[]): Instruction[] {
  const tests = values.flatMap(value => [[IF_EQUAL, value, 0, 1] as Instruction, returnResult(ALLOW)])
  return [...tests, returnResult(EAFNOSUPPORT)]
}

/** struct sock_filter: code, jump if true, jump if false, value. */
function encode(list: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(list.length * 8)
  for (const [index, [code, value, skipIfTrue, skipIfFalse]] of list.entries()) {
    bytes.writeUInt16LE(code, index * 8)
    bytes.writeUInt8(skipIfTrue, index * 8 + 2)
    bytes.writeUInt8(skipIfFalse, index * 8 + 3)
    bytes.writeUInt32LE(value, index * 8 + 4)
  }
  return bytes
}
