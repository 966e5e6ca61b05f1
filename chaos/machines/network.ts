import { execFileSync, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** The machines and their addresses. */
export const ADDRESSES = {
  /** The users, the model and all else that is outside; this process runs there. */
  users: '10.99.0.1',
  balancer: '10.99.0.2',
  'db-1': '10.99.0.11',
  'db-2': '10.99.0.12',
  'temporal-1': '10.99.0.21',
  'temporal-2': '10.99.0.22',
  'api-1': '10.99.0.31',
  'api-2': '10.99.0.32',
  'worker-1': '10.99.0.41',
  'worker-2': '10.99.0.42',
  'worker-3': '10.99.0.43',
  files: '10.99.0.51',
} as const;

export type MachineName = keyof typeof ADDRESSES;

export const MACHINES = Object.keys(ADDRESSES) as MachineName[];

/** The address of PostgreSQL, which belongs to the machine that is the primary. */
export const DATABASE_ADDRESS = '10.99.0.10';

/** What becomes of packets between two machines. */
interface Link {
  /** One way, in milliseconds. */
  readonly delayMs: number;
  readonly loss: number;
}

const SOUND: Link = { delayMs: 0, loss: 0 };
const CUT: Link = { delayMs: 0, loss: 1 };

/** The network between the machines: a network namespace for each, and a switch between their devices. */
export class Network {
  readonly #order: (command: string) => Promise<void>;

  private constructor(order: (command: string) => Promise<void>) {
    this.#order = order;
  }

  /** Creates the namespaces. They end with this process, as the switch does. @param program the built switch. */
  static async start(program: string): Promise<Network> {
    const machines = Object.entries(ADDRESSES);
    const child = spawn(
      program,
      machines.map(([name, address]) => `${name}=${address}`),
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    const lines = createInterface(child.stdout);
    const replies = lines[Symbol.asyncIterator]();
    await replies.next();
    ip('link set lo up');
    for (const [name, address] of machines) {
      const isHere = name === 'users';
      if (!isHere) {
        ip(`netns add ${name}`);
        ip(`link set ${name} netns ${name}`);
        ip(`-n ${name} link set lo up`);
      }
      const where = isHere ? '' : `-n ${name} `;
      ip(`${where}addr add ${address}/24 dev ${name}`);
      ip(`${where}link set ${name} up`);
    }
    return new Network(async (command) => {
      child.stdin.write(`${command}\n`);
      const { done } = await replies.next();
      if (done === true) throw new Error(`the switch ended at: ${command}`);
    });
  }

  /** Lets nothing pass between two machines. */
  async cut(a: MachineName, b: MachineName): Promise<void> {
    await this.#set(a, b, CUT);
  }

  /** Lets nothing pass from and to a machine, as when it has lost its power. */
  async isolate(machine: MachineName): Promise<void> {
    for (const other of MACHINES) await this.#set(machine, other, CUT);
  }

  /** Makes all links of machines of the platform slow, or lossy. */
  async disturb(link: Partial<Link>): Promise<void> {
    const inside = MACHINES.filter((name) => name !== 'users');
    for (const a of inside) for (const b of inside) if (a < b) await this.#set(a, b, { ...SOUND, ...link });
  }

  /** Lets everything pass again. */
  async heal(): Promise<void> {
    for (const a of MACHINES) for (const b of MACHINES) if (a < b) await this.#set(a, b, SOUND);
  }

  /** Gives the address of PostgreSQL to a machine. */
  async moveDatabase(to: MachineName, from?: MachineName): Promise<void> {
    if (from !== undefined) ip(`-n ${from} addr del ${DATABASE_ADDRESS}/32 dev ${from}`);
    ip(`-n ${to} addr add ${DATABASE_ADDRESS}/32 dev ${to}`);
    await this.#order(`route ${DATABASE_ADDRESS} ${to}`);
  }

  async #set(a: MachineName, b: MachineName, { delayMs, loss }: Link): Promise<void> {
    await this.#order(`link ${a} ${b} ${delayMs}ms ${loss}`);
  }
}

function ip(args: string): void {
  execFileSync('ip', args.split(' '));
}
