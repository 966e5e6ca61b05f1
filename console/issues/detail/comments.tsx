import { Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useOwnPermissions, useRefusal } from '../../core/permissions.ts';
import { useCurrentUser } from '../../core/session/current-user.ts';
import { timeFromNow } from '../../core/text/times.ts';
import { Button } from '../../ui/controls/button.tsx';
import { TextAreaField } from '../../ui/fields/text-area-field.tsx';
import { RecordForm } from '../../ui/form/record-form.tsx';
import { Markdown } from '../../ui/markdown/index.ts';
import { Confirm } from '../../ui/overlays/confirm.tsx';
import { useToast } from '../../ui/overlays/toast.tsx';
import { Loaded } from '../../ui/page/loaded.tsx';
import { Pager } from '../../ui/page/pager.tsx';
import { showInvisible } from '../../ui/visible.ts';
import classes from '../issues.module.css';
import { type Comment, useAddComment, useComments, useDeleteComment } from '../queries.ts';
import { useIssuesText } from '../text.ts';
import { AuthorName } from './author-name.tsx';

const EMPTY = { content: '' };

/** What was said about an issue, and where one says something. */
export function Comments({ issueId }: { readonly issueId: string }): ReactNode {
  const text = useIssuesText();
  const [comments, add, refusal] = [useComments(issueId), useAddComment(issueId), useRefusal('issues.manage')];
  return (
    <section aria-label={text.comments(comments.data?.total ?? 0)} className={classes.comments}>
      <h2>{text.comments(comments.data?.total ?? 0)}</h2>
      <Loaded query={comments}>
        {({ items }) =>
          items.length === 0 ? (
            <p className={classes.soft}>{text.noComments}</p>
          ) : (
            <ol className={classes.comments}>
              {items.map((comment) => (
                <CommentItem key={comment.id} comment={comment} />
              ))}
            </ol>
          )
        }
      </Loaded>
      <Pager pages={comments} />
      <RecordForm
        draftKey={`comment.${issueId}`}
        stored={EMPTY}
        submitLabel={text.addComment}
        reason={refusal}
        onSubmit={async ({ values }) => void (await add.mutateAsync(values.content))}
      >
        {({ field }) => <TextAreaField label={text.comment} {...field('content')} />}
      </RecordForm>
    </section>
  );
}

function CommentItem({ comment }: { readonly comment: Comment }): ReactNode {
  const { remote } = comment;
  return (
    <li className={classes.comment}>
      <header>
        <strong>{remote?.author == null ? <AuthorName author={comment} /> : showInvisible(remote.author)}</strong>
        <time dateTime={comment.created_at}>{timeFromNow(comment.created_at)}</time>
        <Remove comment={comment} />
      </header>
      <Markdown text={comment.content} />
    </li>
  );
}

// Its author can, and an administrator.
function Remove({ comment }: { readonly comment: Comment }): ReactNode {
  const [text, toast, remove] = [useIssuesText(), useToast(), useDeleteComment(comment.issue_id)];
  const [{ data: user }, { data: permissions }] = [useCurrentUser(), useOwnPermissions()];
  const [isAsking, setIsAsking] = useState(false);
  const isAdmin = permissions?.role === 'owner' || permissions?.role === 'admin';
  if (comment.user_id !== user?.id && !isAdmin) return null;
  return (
    <>
      <Button look="quiet" aria-label={text.deleteComment} onClick={() => setIsAsking(true)}>
        <Trash2 aria-hidden />
      </Button>
      <Confirm
        open={isAsking}
        onClose={() => setIsAsking(false)}
        title={text.deleteComment}
        description={text.deleteCommentWhy}
        action={text.delete}
        onConfirm={async () => {
          await remove.mutateAsync(comment.id);
          toast(text.commentDeleted);
        }}
      />
    </>
  );
}
