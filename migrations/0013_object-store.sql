-- With BLOB_URL, the bytes of large blobs are in an object store. A blob is either here or there.
alter table blobs alter column bytes drop not null;
alter table blobs add column object_key text;
alter table blobs add column object_size integer;
alter table blobs add constraint blobs_bytes_in_one_place
  check ((bytes is null) = (object_key is not null) and (object_key is null) = (object_size is null));
create index blobs_in_object_store on blobs (object_key) where object_key is not null;
comment on column blobs.bytes is 'The content. Null if it is in the object store.';
comment on column blobs.object_key is 'The key of the object that has the content, without the prefix of BLOB_URL. Null if the content is in bytes. No other row ever has the same key.';
comment on column blobs.object_size is 'The size of the object in bytes.';
