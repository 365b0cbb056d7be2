/** One row of the node's list, with the names and the order of the real node. */
export interface RingRow {
  /** `submission_<DA height>_<Unix second at which it was recorded>`; not unique. */
  id: string;
  /** DA height; 0 for a failure. */
  height: number;
  /** Sum of the blobs' bytes. */
  blob_size: number;
  /** The node's clock when the DA layer answered. */
  timestamp: string;
  gas_price: number;
  status_code: string;
  /** Only for a failure. */
  message?: string;
  /** Blobs of the attempt, even of a failed one. */
  num_blobs: number;
  /** Only for a success: hex of the DA height in 8 bytes, little-endian, and the 32-byte commitment. */
  blob_ids?: string[];
  /** 29 bytes in hex, without a prefix. */
  namespace: string;
}

/** The newest submissions, in memory only: rows that fall out are gone, and all rows at a restart. */
export class SubmissionRing {
  private rows: RingRow[] = [];

  constructor(private readonly size = 100) {}

  record(row: RingRow): void {
    this.rows = [row, ...this.rows].slice(0, this.size);
  }

  clear(): void {
    this.rows = [];
  }

  /** Newest first, as the node lists them. */
  list(): readonly RingRow[] {
    return this.rows;
  }

  /** The namespace of a blob, as long as its row is here. */
  findNamespace(blobId: string): string | undefined {
    return this.rows.find((row) => row.blob_ids?.includes(blobId))?.namespace;
  }
}
