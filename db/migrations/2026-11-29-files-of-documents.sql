-- A file belongs to a chat or to a document of a knowledge base, and goes with it; to neither while it arrives for a
-- document, which is added once all of it is there.

alter table chat_files alter column chat_id drop not null;
alter table chat_files add column document_id uuid references knowledge_documents (id) on delete cascade;
alter table chat_files add constraint chat_files_owner
  check (num_nonnulls(chat_id, document_id) = 1 or (chat_id is null and not is_stored));
create index chat_files_document on chat_files (document_id) where document_id is not null;

alter table knowledge_documents drop constraint knowledge_documents_source_check;
alter table knowledge_documents add constraint knowledge_documents_source_check
  check (source in ('text', 'file', 'upload', 'url'));
