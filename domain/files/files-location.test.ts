import { describe, expect, test } from '@jest/globals';
import { parseFilesLocation } from './files-location.ts';

describe('parseFilesLocation', () => {
  test.each([
    ['', undefined],
    ['s3://files', { bucket: 'files', prefix: '', endpoint: undefined, region: 'us-east-1' }],
    [
      's3://files/a/b/?endpoint=http://minio:9000&region=eu-central-1',
      { bucket: 'files', prefix: 'a/b/', endpoint: 'http://minio:9000', region: 'eu-central-1' },
    ],
  ])('reads %j', (text, expected) => {
    expect(parseFilesLocation(text)).toEqual(expected);
  });

  test.each([
    'files',
    's3:',
    's3://',
    'https://s3.example.com/files',
    's3://key:secret@files',
    's3://files?endpoint=minio:9000',
    's3://files?acl=public',
  ])('refuses %j', (text) => {
    expect(() => parseFilesLocation(text)).toThrow('must be like s3://bucket');
  });
});
