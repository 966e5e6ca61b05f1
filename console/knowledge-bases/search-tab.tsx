import { useNavigate, useSearch } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import type { ReactNode } from 'react';
import { isLongEnough } from '../../domain/search/index.ts';
import { Field } from '../ui/controls/field.tsx';
import { Form } from '../ui/controls/form.tsx';
import { Badge } from '../ui/page/badge.tsx';
import { Empty } from '../ui/page/empty.tsx';
import { Loaded } from '../ui/page/loaded.tsx';
import { showInvisible } from '../ui/visible.ts';
import classes from './knowledge.module.css';
import { type FoundPassage, type FoundPassages, type KnowledgeBase, useFoundPassages } from './queries.ts';
import { useKnowledgeText } from './text.ts';

/** Asks a knowledge base a question, which is in the address, and shows the passages that answer it. */
export function SearchTab({ base }: { readonly base: KnowledgeBase }): ReactNode {
  const text = useKnowledgeText().search;
  const { q = '' } = useSearch({ from: '/o/$orgId/knowledge-bases/$baseId' });
  const navigate = useNavigate({ from: '/o/$orgId/knowledge-bases/$baseId' });
  return (
    <div className={classes.parts}>
      <Form
        key={q}
        submitLabel={text.find}
        onSubmit={async ({ q: words = '' }) => {
          await navigate({ search: { tab: 'search', ...(words.trim() !== '' && { q: words.trim() }) } });
        }}
      >
        <Field label={text.field} hint={text.hint} name="q" type="search" defaultValue={q} required maxLength={2_000} />
      </Form>
      {isLongEnough(q) && <Answer base={base} question={q} />}
      {q !== '' && !isLongEnough(q) && <p className={classes.soft}>{text.tooShort}</p>}
    </div>
  );
}

function Answer({ base, question }: { readonly base: KnowledgeBase; readonly question: string }): ReactNode {
  const text = useKnowledgeText().search;
  const found = useFoundPassages(base.id, question);
  // Of a base that is searched by words alone nobody expects more, and the page says already why one waits.
  const isPartial = base.embedding_model !== 'off' && base.embedding.status !== 'waiting';
  return (
    <Loaded query={found}>
      {(answer) =>
        answer.results.length === 0 ? (
          <Empty icon={<SearchX />} title={text.none}>
            {text.noneWhy} {isPartial && <Reason answer={answer} />}
          </Empty>
        ) : (
          <section aria-label={text.found(answer.results.length)}>
            <output className={classes.soft}>{text.found(answer.results.length)}</output>
            {isPartial && (
              <p className={classes.soft}>
                <Reason answer={answer} />
              </p>
            )}
            <ol className={classes.found}>
              {answer.results.map((passage) => (
                <Passage key={`${passage.document_id}.${passage.position}`} passage={passage} />
              ))}
            </ol>
          </section>
        )
      }
    </Loaded>
  );
}

/** Says why not all passages were compared by meaning. */
function Reason({ answer: { meaning } }: { readonly answer: FoundPassages }): ReactNode {
  const text = useKnowledgeText().search;
  return meaning.reason === null ? null : text.notAll(showInvisible(meaning.reason));
}

function Passage({ passage }: { readonly passage: FoundPassage }): ReactNode {
  const text = useKnowledgeText().search;
  const { document_title: title, heading, url, text: words, found_by: kinds } = passage;
  return (
    <li>
      <div className={classes.head}>
        <strong>{showInvisible(title)}</strong>
        {heading !== '' && heading !== title && <span className={classes.soft}>{showInvisible(heading)}</span>}
        {kinds.map((kind) => (
          <Badge key={kind}>{text.foundBy[kind]}</Badge>
        ))}
        {url !== null && url !== '' && (
          <a href={url} target="_blank" rel="noopener noreferrer nofollow" className={classes.soft}>
            {text.source}
          </a>
        )}
      </div>
      <p className={classes.passage}>{showInvisible(words)}</p>
    </li>
  );
}
