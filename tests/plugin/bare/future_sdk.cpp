// A note as a later SDK might write it: another version, and another payload after it.
struct FutureNote {
  unsigned owner_size = 9;
  unsigned payload_size = 8;
  unsigned type = 1;
  char owner[12] = "lightrun";
  unsigned sdk_version = 99;
  unsigned something_new = 0;
};

[[gnu::used, gnu::section(".note.lightrun"), gnu::aligned(4)]] static constexpr FutureNote kNote;
