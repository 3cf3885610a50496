import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { messageOf, PlaybyplayError } from '../errors.ts';
import { FileStorage, type RecordingStorage } from './file-storage.ts';

/** An object has 10,000 parts at most, of 5 MiB at least (Amazon S3 User Guide, "Multipart upload limits"). */
const MAX_PARTS = 10_000;
const MIN_PART_BYTES = 8 * 2 ** 20;
/** Parts that are sent at once: with a part of 8 MiB, 16 MiB of memory. */
const PARTS_AT_ONCE = 2;
const CONNECTION_TIMEOUT_MS = 10_000;
/** Milliseconds in which nothing may be sent or received. */
const IDLE_TIMEOUT_MS = 60_000;

/**
 * Keeps recordings in a bucket of Amazon S3 or of a server that speaks its protocol. A path below the root is an object of the same
 * name; its file is a copy. Credentials, region and server are those of the environment: `AWS_ACCESS_KEY_ID`,
 * `AWS_SECRET_ACCESS_KEY`, `AWS_REGION`, `AWS_ENDPOINT_URL_S3`.
 */
export class S3Storage implements RecordingStorage, Disposable {
  readonly #root: string;
  readonly #bucket: string;
  readonly #prefix: string;
  readonly #client: S3Client;
  readonly #files: FileStorage;

  /** See {@link S3Storage.open}. */
  private constructor(bucket: string, prefix: string, root: string) {
    this.#root = root;
    this.#bucket = bucket;
    this.#prefix = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
    this.#files = new FileStorage(root);
    const endpoint = process.env['AWS_ENDPOINT_URL_S3'] || process.env['AWS_ENDPOINT_URL'];
    this.#client = new S3Client({
      // Servers other than Amazon's seldom have a host name for each bucket, or the newer checksums.
      ...(endpoint ? { endpoint, forcePathStyle: true, region: process.env['AWS_REGION'] || 'us-east-1' } : {}),
      requestHandler: { connectionTimeout: CONNECTION_TIMEOUT_MS, socketTimeout: IDLE_TIMEOUT_MS },
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
  }

  /**
   * Opens a bucket, which is created if there is none.
   *
   * @param address `s3://<bucket>` or `s3://<bucket>/<prefix>`.
   * @param root Folder of the copies: the same path on every machine, as jobs name paths in it.
   * @throws PlaybyplayError `bad-storage`, `storage-unreachable`.
   */
  static async open(address: string, root: string): Promise<S3Storage> {
    const [, bucket, prefix = ''] = /^s3:\/\/([a-z\d][a-z\d.-]{1,61}[a-z\d])(?:\/([^?#]*))?$/.exec(address) ?? [];
    if (bucket === undefined)
      throw new PlaybyplayError('bad-storage', `${address} is not the address of a bucket`, {
        hint: 'It has the form s3://bucket or s3://bucket/prefix.',
      });
    const storage = new S3Storage(bucket, prefix, root);
    await storage.#makeBucket();
    return storage;
  }

  folderOf(tenant: string, recording: string): string {
    return this.#files.folderOf(tenant, recording);
  }

  async adopt(path: string, target: string): Promise<void> {
    await this.#put(path, this.#keyOf(target));
    await rm(path, { force: true });
  }

  async has(path: string): Promise<boolean> {
    return (await this.#sizeOf(path)) !== undefined;
  }

  async fetch(path: string): Promise<void> {
    const size = await this.#sizeOf(path);
    if (size === undefined) throw new PlaybyplayError('recording-gone', `the bucket has no object for ${path}`);
    if ((await stat(path).catch(() => undefined))?.size === size) return;
    await mkdir(dirname(path), { recursive: true });
    const part = `${path}.part-${randomUUID()}`;
    try {
      const { Body } = await this.#ask(() =>
        this.#client.send(new GetObjectCommand({ Bucket: this.#bucket, Key: this.#keyOf(path) })),
      );
      await this.#ask(() => pipeline(Body as Readable, createWriteStream(part, { flags: 'wx' })));
      await rename(part, path);
    } finally {
      await rm(part, { force: true });
    }
  }

  async keep(folder: string): Promise<void> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    for (const entry of entries) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      await this.#put(path, this.#keyOf(path));
    }
  }

  async release(path: string): Promise<void> {
    this.#keyOf(path);
    await rm(path, { recursive: true, force: true });
  }

  async remove(tenant: string, recording: string): Promise<void> {
    const Prefix = `${this.#keyOf(this.folderOf(tenant, recording))}/`;
    // One by one: servers differ in the checksums that they want of a request for many.
    for (;;) {
      const { Contents = [] } = await this.#ask(() =>
        this.#client.send(new ListObjectsV2Command({ Bucket: this.#bucket, Prefix })),
      );
      if (Contents.length === 0) break;
      for (const { Key } of Contents)
        await this.#ask(() => this.#client.send(new DeleteObjectCommand({ Bucket: this.#bucket, Key })));
    }
    await this.#files.remove(tenant, recording);
  }

  async isReady(): Promise<boolean> {
    return this.#client.send(new HeadBucketCommand({ Bucket: this.#bucket })).then(
      () => true,
      () => false,
    );
  }

  [Symbol.dispose](): void {
    this.#client.destroy();
  }

  async #makeBucket(): Promise<void> {
    const Bucket = this.#bucket;
    try {
      await this.#client.send(new HeadBucketCommand({ Bucket }));
    } catch (error) {
      if (!isMissing(error)) throw this.#unreachable(error);
      await this.#ask(() => this.#client.send(new CreateBucketCommand({ Bucket })));
    }
  }

  async #put(path: string, Key: string): Promise<void> {
    const { size } = await stat(path);
    await this.#ask(() =>
      new Upload({
        client: this.#client,
        params: { Bucket: this.#bucket, Key, Body: createReadStream(path) },
        partSize: Math.max(MIN_PART_BYTES, Math.ceil(size / MAX_PARTS)),
        queueSize: PARTS_AT_ONCE,
      }).done(),
    );
  }

  /** Bytes of an object; undefined if there is none. */
  async #sizeOf(path: string): Promise<number | undefined> {
    const command = new HeadObjectCommand({ Bucket: this.#bucket, Key: this.#keyOf(path) });
    try {
      return (await this.#client.send(command)).ContentLength;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw this.#unreachable(error);
    }
  }

  /** The name of the object at a path. */
  #keyOf(path: string): string {
    if (!path.startsWith(this.#root + sep)) throw new RangeError('the path is not in the storage');
    return this.#prefix + relative(this.#root, path).replaceAll(sep, '/');
  }

  async #ask<T>(request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      throw this.#unreachable(error);
    }
  }

  #unreachable(error: unknown): PlaybyplayError {
    const { httpStatusCode } = error instanceof S3ServiceException ? error.$metadata : {};
    const reason = httpStatusCode === undefined ? messageOf(error) : `${messageOf(error)} (HTTP ${httpStatusCode})`;
    return new PlaybyplayError('storage-unreachable', `the bucket ${this.#bucket} cannot be used: ${reason}`, {
      cause: error,
      hint: 'Check AWS_ENDPOINT_URL_S3, AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
    });
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404;
}
