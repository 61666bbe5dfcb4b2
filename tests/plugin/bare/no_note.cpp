extern "C" int lightrun_test_no_note();
extern "C" int lightrun_test_no_note() {
  return 1;
}
