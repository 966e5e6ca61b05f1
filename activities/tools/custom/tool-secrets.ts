import { isWithin, type Secrets } from '../../../domain/integrations/index.ts';
import { type CustomTool, integrationProblem } from '../../../domain/tools/index.ts';
import { bodyText } from '../requests/present-answer.ts';
import { type GuardedResponse, HeldSecrets, type OpenedIntegration } from '../context.ts';
import { ToolFailure } from '../tool-failure.ts';
import type { RuntimeContext } from './runtime.ts';

/** The status of an answer that is a part of another, which may begin and end within a secret. */
const PARTIAL_CONTENT = 206;
const WITHHELD =
  '[The server has sent a part of its answer, which is not shown: it could hold a part of a credential.]';

/** The secrets that a call may put into its request, where they may go, and how they are kept out of what it brings. */
export class ToolSecrets {
  static readonly NONE = new ToolSecrets(undefined);

  readonly #integration: OpenedIntegration | undefined;
  readonly #held: HeldSecrets;

  private constructor(integration: OpenedIntegration | undefined) {
    this.#integration = integration;
    this.#held = new HeldSecrets(integration?.secrets ?? {}, {
      renew: async (rejected) => integration?.renew?.(rejected) ?? rejected,
      masked: (secrets) => Object.values(secrets),
    });
  }

  /**
   * Opens the integration that a tool names, as it is now. Throws `ToolFailure` when the tool must not be used with it:
   * its definition or the integration may have changed since the tool was offered.
   */
  static async open(
    tool: CustomTool,
    { openIntegration }: Pick<RuntimeContext, 'openIntegration'>,
  ): Promise<ToolSecrets> {
    if (tool.integration === undefined) return ToolSecrets.NONE;
    const integration = await openIntegration(tool.integration);
    const problem = integrationProblem(tool, integration);
    if (problem !== undefined) throw new ToolFailure('denied', `The tool ${tool.key} cannot be used: ${problem}`);
    return new ToolSecrets(integration);
  }

  get values(): Secrets {
    return this.#held.secrets;
  }

  /**
   * Sends a request with the secrets, and once more with renewed ones when they are not accepted. An answer that came
   * after a redirect, even one to the same address, does not say that the request had no effect.
   */
  async send<T extends GuardedResponse>(request: (secrets: Secrets) => Promise<T>) {
    return this.#held.send(request, ({ status, redirects }) => status === 401 && redirects === 0);
  }

  /**
   * Returns whether a request may go to an address: with secrets only to that of their integration, and below. Whoever
   * changes a definition could otherwise have them sent to a server of their own.
   */
  mayGoTo(url: string): boolean {
    return this.#integration === undefined || isWithin(this.#integration.apiUrl, url);
  }

  /** Returns a text that was made of an answer, in which the secrets are masked. */
  mask(text: string): string {
    return this.#held.mask(text);
  }

  /** Returns an answer whose address, headers and body, as far as it is text, do not repeat the secrets. */
  without(answer: GuardedResponse): GuardedResponse {
    if (this.#integration === undefined) return answer;
    const type = answer.headers.get('content-type') ?? '';
    const isPart = answer.status === PARTIAL_CONTENT;
    const essence = isPart ? 'text/plain' : type.split(';', 1)[0];
    const headers = [...answer.headers].map(([name, value]) => [name, this.#held.mask(value)] as const);
    return {
      ...answer,
      finalUrl: this.#held.mask(answer.finalUrl),
      headers: new Map([...headers, ['content-type', `${essence}; charset=utf-8`]]),
      body: Buffer.from(isPart ? WITHHELD : this.#maskedBody(answer, type)),
    };
  }

  #maskedBody({ body, isTruncated }: GuardedResponse, type: string): string {
    const text = bodyText(body, type);
    return isTruncated ? this.#held.maskBeginning(text) : this.#held.mask(text);
  }
}
