import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { EditedRecord } from '../../ui/form/use-record.ts';
import { Tabs } from '../../ui/page/tabs.tsx';
import { useAgentsText } from '../text.ts';
import type { AgentValues } from '../agent-values.ts';
import { KnowledgeFields } from './knowledge-fields.tsx';
import { LimitFields } from './limit-fields.tsx';
import { ModelFields } from './model-fields.tsx';
import { PromptFields } from './prompt-fields.tsx';
import { ToolFields } from '../tools/tool-fields.tsx';

interface AgentFieldsProps {
  readonly record: EditedRecord<AgentValues>;
}

/** All that an agent is made of, in tabs of one form. */
export function AgentFields({ record }: AgentFieldsProps): ReactNode {
  const text = useAgentsText().editor;
  const navigate = useNavigate();
  const { tab } = useSearch({ strict: false });
  const parts = [
    { value: 'prompt', label: text.prompt, content: <PromptFields record={record} /> },
    { value: 'tools', label: text.toolsAndSkills, content: <ToolFields record={record} /> },
    { value: 'model', label: text.model, content: <ModelFields record={record} /> },
    { value: 'limits', label: text.limits, content: <LimitFields record={record} /> },
    { value: 'knowledge', label: text.knowledge, content: <KnowledgeFields record={record} /> },
  ] as const;
  return (
    <Tabs
      label={text.label}
      tabs={parts}
      value={tab}
      isKept
      onValueChange={(chosen) => void navigate({ to: '.', search: { tab: chosen }, replace: true })}
    />
  );
}
