import { create, createFileRegistry, type DescMethodUnary } from '@bufbuild/protobuf';
import {
  EmptySchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  file_google_protobuf_empty,
  file_google_protobuf_timestamp,
  FileDescriptorProtoSchema,
  TimestampSchema,
} from '@bufbuild/protobuf/wkt';

const PACKAGE = 'evnode.v1';
const TIME = TimestampSchema.typeName;

/**
 * The fields of each message: number, name on the wire, type, oneof if any. Types other than scalars are messages, `[]` marks
 * a list.
 */
const MESSAGES = {
  Version: ['1 block uint64', '2 app uint64'],
  Header: [
    '1 version Version',
    '2 height uint64',
    '3 time uint64',
    '4 last_header_hash bytes',
    '6 data_hash bytes',
    '8 app_hash bytes',
    '10 proposer_address bytes',
    '11 validator_hash bytes',
    '12 chain_id string',
  ],
  Signer: ['1 address bytes', '2 pub_key bytes'],
  SignedHeader: ['1 header Header', '2 signature bytes', '3 signer Signer'],
  Metadata: ['1 chain_id string', '2 height uint64', '3 time uint64', '4 last_data_hash bytes'],
  Data: ['1 metadata Metadata', '2 txs bytes[]'],
  Block: ['1 header SignedHeader', '2 data Data'],
  GetBlockRequest: ['1 height uint64 identifier', '2 hash bytes identifier'],
  GetBlockResponse: ['1 block Block', '2 header_da_height uint64', '3 data_da_height uint64'],
  // No published version has the number of the last field: it is the next one after the fields of older versions.
  State: [
    '1 version Version',
    '2 chain_id string',
    '3 initial_height uint64',
    '4 last_block_height uint64',
    `5 last_block_time ${TIME}`,
    '6 da_height uint64',
    '8 app_hash bytes',
    '10 next_proposer_address bytes',
  ],
  GetStateResponse: ['1 state State'],
  GetMetadataRequest: ['1 key string'],
  GetMetadataResponse: ['1 value bytes'],
  GetGenesisDaHeightResponse: ['3 height uint64'],
  StoreEnd: ['1 height uint64', '2 hash bytes', `3 time ${TIME}`],
  StoreRange: ['1 label string', '2 height uint64', '4 head StoreEnd', '6 tail StoreEnd'],
  GetP2PStoreInfoResponse: ['1 stores StoreRange[]'],
  GetNamespaceResponse: ['1 header_namespace string', '2 data_namespace string'],
  GetSignerInfoResponse: ['1 address bytes'],
  PeerInfo: ['1 id string', '2 address string'],
  GetPeerInfoResponse: ['1 peers PeerInfo[]'],
  NetInfo: ['1 id string', '2 listen_addresses string[]', '3 connected_peers string[]'],
  GetNetInfoResponse: ['1 net_info NetInfo'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** The request messages of methods; methods that are not listed take an empty one. */
const TAKEN: Readonly<Record<string, keyof typeof MESSAGES>> = {
  GetBlock: 'GetBlockRequest',
  GetMetadata: 'GetMetadataRequest',
};

const SERVICES = {
  StoreService: [
    'GetBlock',
    'GetState',
    'GetMetadata',
    'GetGenesisDaHeight',
    'GetP2PStoreInfo',
    // Only older nodes have it here.
    'GetNamespace',
  ],
  ConfigService: ['GetNamespace', 'GetSignerInfo'],
  P2PService: ['GetPeerInfo', 'GetNetInfo'],
} as const;

type Services = typeof SERVICES;

/** A call of a node, without the package of its service. */
export type Call = { [S in keyof Services]: `${S}/${Services[S][number]}` }[keyof Services];

const SCALARS: Readonly<Record<string, Type>> = {
  uint64: Type.UINT64,
  bytes: Type.BYTES,
  string: Type.STRING,
};

/** The descriptor of all messages and calls, in the form of protobuf compilers. */
const FILE = create(FileDescriptorProtoSchema, {
  name: 'evnode/v1/services.proto',
  package: PACKAGE,
  syntax: 'proto3',
  dependency: [file_google_protobuf_empty.proto.name, file_google_protobuf_timestamp.proto.name],
  messageType: Object.entries(MESSAGES).map(([name, fields]) => ({
    name,
    field: fields.map(describeField),
    oneofDecl: [...new Set(fields.flatMap((field) => field.split(' ')[3] ?? []))].map((each) => ({
      name: each,
    })),
  })),
  service: Object.entries(SERVICES).map(([name, methods]) => ({
    name,
    method: methods.map((method) => ({
      name: method,
      inputType: typeName(TAKEN[method] ?? EmptySchema.typeName),
      outputType: typeName(`${method}Response`),
    })),
  })),
});

const REGISTRY = createFileRegistry(FILE, (name) =>
  [file_google_protobuf_empty, file_google_protobuf_timestamp].find(({ proto }) => proto.name === name),
);

/** Every call with its messages. */
export const METHODS: ReadonlyMap<Call, DescMethodUnary> = new Map(
  Object.keys(SERVICES).flatMap((name) =>
    (REGISTRY.getService(`${PACKAGE}.${name}`)?.methods ?? []).map(
      (method) => [`${name}/${method.name}` as Call, method as DescMethodUnary] as const,
    ),
  ),
);

function describeField(text: string) {
  const [number, name = '', type = '', oneof] = text.split(' ');
  const isList = type.endsWith('[]');
  const single = type.replace('[]', '');
  const scalar = SCALARS[single];
  return {
    number: Number(number),
    name,
    jsonName: name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
    label: isList ? Label.REPEATED : Label.OPTIONAL,
    ...(scalar === undefined ? { type: Type.MESSAGE, typeName: typeName(single) } : { type: scalar }),
    ...(oneof !== undefined && { oneofIndex: 0 }),
  };
}

function typeName(name: string): string {
  return name.includes('.') ? `.${name}` : `.${PACKAGE}.${name}`;
}
