import { Bot } from 'lucide-react';
import { Loaded } from '../ui/page/page.tsx';
import classes from './agents.module.css';
import { type AgentTemplate, useAgentTemplates } from './queries.ts';
import { useAgentsText } from './text.ts';

interface TemplateListProps {
  /** The name of the template that is being added. */
  readonly adding: string | undefined;
  readonly onChoose: (template: AgentTemplate) => void;
}

/** The templates to choose from, each with what it is for. */
export function TemplateList({ adding, onChoose }: TemplateListProps) {
  const text = useAgentsText();
  const templates = useAgentTemplates();
  return (
    <Loaded query={templates}>
      {(all) => (
        <ul className={classes.list}>
          {all.map((template) => (
            <li key={template.slug ?? template.name}>
              <button
                type="button"
                className={classes.template}
                aria-busy={template.name === adding}
                disabled={adding !== undefined}
                onClick={() => onChoose(template)}
              >
                <Bot aria-hidden />
                <span>
                  <strong>{template.name}</strong>
                  <span className="muted">{template.description}</span>
                  <span className={classes.facts}>
                    {template.name === adding ? text.adding : text.toolCount(template.tools.length)}
                  </span>
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  );
}
