// Prints the table of functions of KCachegrind's window and ends it: a row a line, a tab between columns. It is preloaded into the
// program, which has no other way to tell what it read.
#include <QtWidgets>

#include <cstdio>
#include <unistd.h>

// How often in a row the table has to have as many rows as before.
static const int CALM = 3;

static bool isFunctions(const QAbstractItemModel *model) {
  for (int column = 0; model != nullptr && column < model->columnCount(); column++)
    if (model->headerData(column, Qt::Horizontal).toString() == "Location") return true;
  return false;
}

static void print(const QAbstractItemModel *model) {
  for (int row = 0; row < model->rowCount(); row++) {
    for (int column = 0; column < model->columnCount(); column++)
      printf("%s%s", column > 0 ? "\t" : "", qPrintable(model->index(row, column).data().toString()));
    printf("\n");
  }
  fflush(stdout);
}

static void look() {
  static int last = -1, calm = 0;
  const QAbstractItemModel *functions = nullptr;
  for (QWidget *widget : QApplication::allWidgets()) {
    auto *view = qobject_cast<QTreeView *>(widget);
    if (view != nullptr && isFunctions(view->model())) functions = view->model();
  }
  const int rows = functions == nullptr ? 0 : functions->rowCount();
  calm = rows > 0 && rows == last ? calm + 1 : 0;
  last = rows;
  if (calm < CALM) return;
  print(functions);
  _exit(0);
}

static void start() {
  if (qobject_cast<QApplication *>(QCoreApplication::instance()) == nullptr) return;
  auto *timer = new QTimer(QCoreApplication::instance());
  QObject::connect(timer, &QTimer::timeout, look);
  timer->start(150);
}
Q_COREAPP_STARTUP_FUNCTION(start)
