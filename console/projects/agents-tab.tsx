import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { useAgents } from '../agents/queries.ts';
import { useCan, useRefusal } from '../core/permissions.ts';
import { useOrgId } from '../core/session/session-context.tsx';
import { MultiChoiceField } from '../ui/fields/fields.tsx';
import { RecordForm } from '../ui/form/record-form.tsx';
import { Badge, Loaded, Section } from '../ui/page/page.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './projects.module.css';
import { type Project, type ProjectAgent, useProjectAgents, useSetProjectAgents } from './queries.ts';
import { useProjectsText } from './text.ts';

/** The agents that work in a project, what each is doing, and where they are added and taken away. */
export function AgentsTab({ project }: { readonly project: Project }): ReactNode {
  const text = useProjectsText();
  const agents = useProjectAgents(project.id);
  return (
    <div className={classes.parts}>
      <Section title={text.agents}>
        <Loaded query={agents}>
          {(all) =>
            all.length === 0 ? (
              <p className="soft">{text.team.none}</p>
            ) : (
              <ul className={classes.rows}>
                {all.map((agent) => (
                  <AgentRow key={agent.id} agent={agent} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Section>
      <Team project={project} />
    </div>
  );
}

function AgentRow({ agent }: { readonly agent: ProjectAgent }): ReactNode {
  const [{ team }, orgId] = [useProjectsText(), useOrgId()];
  const { name, description, is_active: isActive, open_turns: open, activity } = agent;
  return (
    <li>
      <span className={classes.grow}>
        <strong>{showInvisible(name)}</strong>
        {description !== '' && <span className="line-clamp-2 soft font-normal">{showInvisible(description)}</span>}
        {activity.map(({ chat_id: chatId, chat_title: title }) => (
          <Link key={chatId} to="/o/$orgId/chats/$chatId" params={{ orgId, chatId }} className="soft">
            {showInvisible(title)}
          </Link>
        ))}
      </span>
      {!isActive && <Badge>{team.off}</Badge>}
      <Badge tone={open > 0 ? 'warn' : 'calm'}>{open > 0 ? team.working(open) : team.idle}</Badge>
    </li>
  );
}

function Team({ project }: { readonly project: Project }): ReactNode {
  const [{ team, saved }, set] = [useProjectsText(), useSetProjectAgents(project.id)];
  const [refusal, mayAgents] = [useRefusal('projects.manage'), useCan('agents.view')];
  const agents = useAgents().data?.items ?? [];
  const stored = useMemo(() => ({ agent_ids: project.agent_ids as readonly string[] }), [project.agent_ids]);
  if (!mayAgents || refusal !== undefined) return null;
  return (
    <RecordForm
      draftKey={`project.agents.${project.id}`}
      stored={stored}
      submitLabel={team.save}
      done={saved}
      onSubmit={async ({ values }) => set.mutateAsync(values.agent_ids)}
    >
      {({ field }) => (
        <MultiChoiceField
          label={team.choose}
          hint={team.chooseHint}
          choices={agents.map(({ id, name }) => ({ value: id, label: showInvisible(name) }))}
          {...field('agent_ids')}
        />
      )}
    </RecordForm>
  );
}
