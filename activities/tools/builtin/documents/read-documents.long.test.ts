import './read-documents.test.ts';
