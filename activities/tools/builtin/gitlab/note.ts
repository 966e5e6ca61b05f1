/** What is shown of a comment; GitLab's own notes of changes are `system`. */
export const NOTE = ['id', 'author.username', 'body', 'system', 'resolved', 'created_at'];
