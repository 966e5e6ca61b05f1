import type { CallDetail } from '../../../domain/approvals/index.ts';
import { maskSecrets } from '../../../domain/secrets/index.ts';
import {
  type CustomTool,
  integrationProblem,
  renderRequest,
  type RequestTemplate,
} from '../../../domain/tools/index.ts';
import type { FoundIntegration, ToolContext } from '../context.ts';
import { describeRequest } from '../requests/describe-request.ts';
import { ToolFailure } from '../tool-failure.ts';
import type { CallDescription, ToolArguments } from '../tool.ts';

const SECRET = '***';

/** Describes a call of a custom tool by its definition and its integration; see `Tool.describe`. */
export async function describeCustomCall(
  tool: CustomTool,
  args: ToolArguments,
  { findIntegration }: Pick<ToolContext, 'findIntegration'>,
): Promise<CallDescription> {
  const { runtime, integration: name } = tool;
  const integration = name === undefined ? undefined : await findIntegration(name);
  const basis = { tool, connection: integration?.connection ?? null };
  if (runtime.kind !== 'http') return { details: [{ label: 'Program', value: runtime.source }], basis };
  const problem = name === undefined ? undefined : integrationProblem(tool, integration);
  if (problem !== undefined) throw new ToolFailure('denied', `The tool ${tool.key} cannot be used: ${problem}`);
  return { details: [...requestDetails(runtime.request, args), ...integrationDetails(integration)], basis };
}

function requestDetails(request: RequestTemplate, args: ToolArguments): readonly CallDetail[] {
  const secrets = Object.fromEntries(request.secrets.map(({ field }) => [field, SECRET]));
  const rendered = renderRequest(request, { args: maskSecrets(args), secrets });
  if ('issue' in rendered) throw new ToolFailure('invalid_input', `The request cannot be made: ${rendered.issue}`);
  return describeRequest(rendered.value);
}

function integrationDetails(integration: FoundIntegration | undefined): readonly CallDetail[] {
  return integration === undefined ? [] : [{ label: 'Integration', value: integration.name }];
}
