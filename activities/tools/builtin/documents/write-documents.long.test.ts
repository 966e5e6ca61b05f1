import './write-documents.test.ts';
